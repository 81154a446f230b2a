import type { GroupVersionTypes } from '@keelson/api'
import type { KubeObject, Scheme } from '@keelson/apimachinery'
import type { ResourceDefinition, ServedVersion } from './resource-definition.ts'

/** A built-in group of the API: its types, its resources, and its place among the groups. All that is served, stored and discovered of it follows. */
export interface ApiGroup {
  /** "" for core. */
  readonly name: string
  /** Groups with a higher one come first in discovery. */
  readonly priority: number
  /** Every version that is served, or may be found in a store; the preferred first. */
  readonly types: readonly GroupVersionTypes[]
  readonly resources: readonly ResourceDefinition[]
  /** Versions of which nothing is left. An operator may still name them, as kube-apiserver allows. Default: none. */
  readonly retiredVersions?: readonly string[]
  /** Tells the scheme the group's kinds: defaults, conversions, field labels. */
  register(scheme: Scheme): void
}

export interface ApiGroupParts<Objects extends readonly KubeObject[]> extends Pick<ApiGroup, 'name' | 'priority' | 'types' | 'retiredVersions'> {
  readonly resources: { readonly [I in keyof Objects]: ResourceDefinition<Objects[I]> }
}

/** A group whose kinds are all that their definitions say. Others have a `register` of their own, as core's has. */
export function defineApiGroup<const Objects extends readonly KubeObject[]>(parts: ApiGroupParts<Objects>): ApiGroup {
  // One list for definitions of different objects: whoever walks it hands each definition only objects of its own kind.
  const resources = parts.resources as unknown as readonly ResourceDefinition[]
  return { ...parts, resources, register: (scheme) => resources.forEach((resource) => registerKind(scheme, resource)) }
}

/** Accepts the labels of the fields that are selectable. Undefined for a kind without any of its own: name and namespace are accepted for every kind. */
export function fieldLabelConversion({
  selectableFields,
  scope,
}: Pick<ResourceDefinition, 'selectableFields' | 'scope'>): ((label: string) => string | undefined) | undefined {
  if (selectableFields === undefined) return undefined
  const labels = new Set(['metadata.name', ...(scope === 'Namespaced' ? ['metadata.namespace'] : []), ...Object.keys(selectableFields)])
  return (label) => (labels.has(label) ? label : undefined)
}

/** In every version: defaulted by its definition, selected by the fields that are selectable. */
function registerKind(scheme: Scheme, definition: ResourceDefinition): void {
  const { group, version, kind, storedVersion = version, alsoServedAs = [], refuseFieldLabel } = definition
  const hub = { group, version, kind }
  const convertFieldLabel = fieldLabelConversion(definition)
  const versions: ServedVersion[] = [{ group, version }, ...alsoServedAs]
  // The version that is stored need not be one that can be served.
  if (!versions.some((served) => served.version === storedVersion)) versions.push({ group, version: storedVersion })
  for (const served of versions) {
    const { setDefaults = definition.setDefaults, toHub, fromHub } = served
    scheme.register({
      gvk: { group: served.group, version: served.version, kind },
      hub,
      ...(setDefaults && { setDefaults }),
      ...(toHub && { toHub }),
      ...(fromHub && { fromHub }),
      ...(convertFieldLabel && { convertFieldLabel }),
      ...(refuseFieldLabel && { refuseFieldLabel }),
    })
  }
}
