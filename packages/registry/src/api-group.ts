import type { ApiTypes, GroupVersionTypes } from '@keelson/api'
import type { GroupVersionKind, KubeObject, Scheme } from '@keelson/apimachinery'
import { newRESTStorage } from './new-rest-storage.ts'
import type { RESTStorageParts } from './new-rest-storage.ts'
import type { ResourceDefinition, ServedVersion } from './resource-definition.ts'
import type { RESTOptionsGetter } from './rest-options.ts'
import type { RESTStorage } from './rest.ts'

/** Where a group registers its kinds. */
export type KindRegistry = Pick<Scheme, 'register'>

/** The server that a group is installed on, as the group sees it. */
export interface StorageHost<Services = unknown> {
  /** Storages that are made through it belong to the group, and close when it is removed. */
  readonly restOptions: RESTOptionsGetter
  readonly types: ApiTypes
  /** The services of this server for its groups: a client, an authorizer. */
  readonly services: Services
  /** Runs `dispose` when the group is removed, before its storages close. The last one added runs first. */
  defer(dispose: () => void | PromiseLike<void>): void
}

/**
 * A group of the API as a value: its types, its resources, and its place among the groups. Storage, routes and discovery follow from it, so a
 * server can install it and remove it while it runs. `Services` is the type of the services that its factory needs.
 */
export interface ApiGroup<Services = unknown> {
  /** "" for core. */
  readonly name: string
  /** Groups with a higher one come first in discovery. */
  readonly priority: number
  /** Every version that is served, or may be found in a store; the preferred first. */
  readonly types: readonly GroupVersionTypes[]
  readonly resources: readonly ResourceDefinition[]
  /** Versions that are no longer served. Like in kube-apiserver, `--runtime-config` may still name them. Default: none. */
  readonly retiredVersions?: readonly string[]
  /** Registers the group's kinds: defaults, conversions, field labels. */
  register(scheme: KindRegistry): void
  /** Path ("pods", "pods/status") → what serves it. Default: `newRESTStorage`, the stores of all resources. */
  newRESTStorage?(host: StorageHost<Services>): ReadonlyMap<string, RESTStorage>
}

/** The kind of a request body that no resource stores (Binding, TokenRequest). */
export interface BodyKind extends GroupVersionKind {
  /** Fills in fields that clients may leave out. Default: nothing. */
  setDefaults?(this: void, object: KubeObject): void
}

export interface ApiGroupParts<Objects extends readonly KubeObject[], Services = unknown> extends Omit<
  ApiGroup<Services>,
  'register' | 'resources'
> {
  readonly resources: { readonly [I in keyof Objects]: ResourceDefinition<Objects[I]> }
  /** Kinds of request bodies that no resource stores. Default: none. */
  readonly bodies?: readonly BodyKind[]
  /** Hooks and subresources that use services of the server, by plural. Default: none. */
  extensions?(this: void, services: Services): RESTStorageParts
}

/**
 * A group of the kinds that `parts` defines.
 *
 * @example
 * const example = defineApiGroup({ name: 'example.com', priority: 100, types: [exampleV1], resources: [widgets] })
 */
export function defineApiGroup<const Objects extends readonly KubeObject[], Services = unknown>(
  parts: ApiGroupParts<Objects, Services>,
): ApiGroup<Services> {
  const { bodies = [], extensions, ...group } = parts
  // One list for definitions of different objects: each definition is only ever given objects of its own kind.
  const resources = parts.resources as unknown as readonly ResourceDefinition[]
  return {
    ...group,
    ...(extensions && { newRESTStorage: (host: StorageHost<Services>) => newRESTStorage(host, resources, extensions(host.services)) }),
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

/** Registers the kind in every version of the definition. */
function registerKind(scheme: KindRegistry, definition: ResourceDefinition): void {
  const { group, version, kind, alsoServedAs = [], refuseFieldLabel, normalize } = definition
  const storedVersion = definition.storage?.version ?? version
  const hub = { group, version, kind }
  const versions: ServedVersion[] = [{ group, version, ...(normalize && { toHub: normalize }) }, ...alsoServedAs]
  // The version that is stored need not be one that can be served.
  if (!versions.some((served) => served.version === storedVersion)) versions.push({ group, version: storedVersion })
  for (const served of versions) {
    const { setDefaults = definition.setDefaults, toHub, fromHub, fieldLabels = fieldLabelsOf(definition) } = served
    scheme.register({
      gvk: { group: served.group, version: served.version, kind },
      hub,
      ...(setDefaults && { setDefaults }),
      ...(toHub && { toHub }),
      ...(fromHub && { fromHub }),
      ...(fieldLabels && { convertFieldLabel: (label) => (Object.hasOwn(fieldLabels, label) ? fieldLabels[label] : undefined) }),
      ...(refuseFieldLabel && { refuseFieldLabel }),
    })
  }
}

/** undefined if the kind has no selectable fields of its own. The scheme then accepts only name and namespace. */
function fieldLabelsOf({
  selectableFields,
  fieldLabels,
  scope,
}: Pick<ResourceDefinition, 'selectableFields' | 'fieldLabels' | 'scope'>): Readonly<Record<string, string>> | undefined {
  if (selectableFields === undefined) return undefined
  const labels = ['metadata.name', ...(scope === 'Namespaced' ? ['metadata.namespace'] : []), ...Object.keys(selectableFields)]
  return { ...Object.fromEntries(labels.map((label) => [label, label])), ...fieldLabels }
}
