import type { ApiTypes, GroupVersionTypes } from '@keelson/api'
import type { GroupVersionKind, KubeObject, Scheme } from '@keelson/apimachinery'
import { newRESTStorage } from './create-resource-storage.ts'
import type { RESTStorageExtensions } from './create-resource-storage.ts'
import type { ResourceDefinition, ServedVersion } from './resource-definition.ts'
import type { RESTOptionsGetter } from './rest-options.ts'
import type { RESTStorage } from './rest.ts'

/** The part of a `Scheme` in which a group registers its kinds. */
export type KindRegistry = Pick<Scheme, 'register'>

/** The parts of a server that a group needs to create its storages. */
export interface StorageHost<Services = unknown> {
  /** Returns the options for creating storages of the group. When the group is removed, the server closes these storages. */
  readonly restOptions: RESTOptionsGetter
  readonly types: ApiTypes
  /** The services that the server offers to its API groups, such as a client or an authorizer. */
  readonly services: Services
  /** Registers a cleanup function. When the group is removed, cleanup functions run in reverse order, before the group's storages close. */
  defer(dispose: () => void | PromiseLike<void>): void
}

/**
 * An API group as a value: its types, its resources, and its priority in discovery. Storage, routes and discovery are derived from it, so a server
 * can install and remove the group while it runs. `Services` is the type of the services that the group needs.
 */
export interface ApiGroup<Services = unknown> {
  /** The name in URLs: "apps", or "" for core. */
  readonly name: string
  /** The priority of the group in discovery. Groups with a higher priority are listed first. */
  readonly priority: number
  /** The types of every version that is served or may be stored. The preferred version comes first. */
  readonly types: readonly GroupVersionTypes[]
  /**
   * Whether versions are listed by stability and age (v2, v1, v1beta1), because several definitions add versions to the group. Default: false,
   * which lists them in the order of `types`.
   */
  readonly sortsVersions?: boolean
  readonly resources: readonly ResourceDefinition[]
  /** Versions of the group that are no longer served, but that `--runtime-config` may still name, as in kube-apiserver. Default: none. */
  readonly retiredVersions?: readonly string[]
  /** Registers the group's kinds with their defaults, conversions and field labels. */
  register(scheme: KindRegistry): void
  /**
   * Creates the storages of the group, with the path of each ("pods", "pods/status") as the key. Default: `newRESTStorage` with all
   * resources.
   */
  newRESTStorage?(host: StorageHost<Services>): ReadonlyMap<string, RESTStorage>
}

/** A kind that occurs only in request bodies and is never stored (Binding, TokenRequest). */
export interface BodyKind extends GroupVersionKind {
  /** Sets defaults in place. Default: nothing. */
  setDefaults?(this: void, object: KubeObject): void
}

/** The parameters of `defineApiGroup`. */
export interface ApiGroupDefinition<Objects extends readonly KubeObject[], Services = unknown> extends Omit<
  ApiGroup<Services>,
  'register' | 'resources'
> {
  readonly resources: { readonly [I in keyof Objects]: ResourceDefinition<Objects[I]> }
  /** Kinds that occur only in request bodies. Default: none. */
  readonly bodies?: readonly BodyKind[]
  /** Creates hooks and subresources that need services of the server. Default: none. */
  createExtensions?(this: void, services: Services): RESTStorageExtensions
}

/**
 * Creates an API group from its definition.
 *
 * @example
 * const example = defineApiGroup({ name: 'example.com', priority: 100, types: [exampleV1], resources: [widgets] })
 */
export function defineApiGroup<const Objects extends readonly KubeObject[], Services = unknown>(
  definition: ApiGroupDefinition<Objects, Services>,
): ApiGroup<Services> {
  const { bodies = [], createExtensions, ...group } = definition
  // The cast is safe: the server passes each definition only objects of its kind.
  const resources = definition.resources as unknown as readonly ResourceDefinition[]
  return {
    ...group,
    ...(createExtensions && {
      newRESTStorage: (host: StorageHost<Services>) => newRESTStorage(host, resources, createExtensions(host.services)),
    }),
    resources,
    register(scheme) {
      for (const definition of resources) registerKind(scheme, definition)
      for (const { group, version, kind, setDefaults } of bodies) {
        const gvk = { group, version, kind }
        scheme.register({ gvk, hub: gvk, ...(setDefaults && { setDefaults }) })
      }
    },
  }
}

/** Registers the kind of a resource in all its versions. */
function registerKind(scheme: KindRegistry, definition: ResourceDefinition): void {
  const { group, version, kind, alsoServedAs = [], refuseFieldLabel, normalize } = definition
  const storedVersion = definition.storage?.version ?? version
  const hub = { group, version, kind }
  const versions: ServedVersion[] = [{ group, version, ...(normalize && { toHub: normalize }) }, ...alsoServedAs]
  // The stored version must be registered even if it is not served, because stored objects are decoded in that version.
  if (!versions.some((served) => served.version === storedVersion)) {
    versions.push({ group, version: storedVersion, ...definition.storage?.conversion })
  }
  for (const apiVersion of versions) {
    const { setDefaults = definition.setDefaults, toHub, fromHub, fieldLabels = createFieldLabels(definition) } = apiVersion
    scheme.register({
      gvk: { group: apiVersion.group, version: apiVersion.version, kind },
      hub,
      ...(setDefaults && { setDefaults }),
      ...(toHub && { toHub }),
      ...(fromHub && { fromHub }),
      ...(fieldLabels && { convertFieldLabel: (label) => (Object.hasOwn(fieldLabels, label) ? fieldLabels[label] : undefined) }),
      ...(refuseFieldLabel && { refuseFieldLabel }),
    })
  }
}

/**
 * Returns the field labels of a resource. Returns undefined for a resource without selectable fields, so that the scheme accepts only
 * metadata.name and metadata.namespace.
 */
function createFieldLabels({
  selectableFields,
  fieldLabels,
  scope,
}: Pick<ResourceDefinition, 'selectableFields' | 'fieldLabels' | 'scope'>): Readonly<Record<string, string>> | undefined {
  if (selectableFields === undefined) return undefined
  const labels = ['metadata.name', ...(scope === 'Namespaced' ? ['metadata.namespace'] : []), ...Object.keys(selectableFields)]
  return { ...Object.fromEntries(labels.map((label) => [label, label])), ...fieldLabels }
}
