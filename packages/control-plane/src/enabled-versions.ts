import type { GroupVersion, GroupVersionResource } from '@keelson/apimachinery'
import type { ApiGroup } from '@keelson/registry'

const stages = {
  'api/all': /./,
  'api/ga': /^v\d+$/,
  'api/beta': /^v\d+beta\d+$/,
  'api/alpha': /^v\d+alpha\d+$/,
}
type Stage = keyof typeof stages

/**
 * Which resources are served: those in stable versions, unless `wanted` says otherwise. A resource by its own name counts for more than its
 * version, a version for more than its stage, and its stage for more than all. Groups without `hasStages` are served in every version by default.
 */
export function enabledResources(
  wanted: Readonly<Record<string, boolean>>,
  hasStages: (group: string) => boolean = () => true,
): (resource: GroupVersionResource) => boolean {
  const own = new Map(
    Object.entries(wanted)
      .filter(([key]) => !(key in stages))
      .map(([key, on]) => [plainKey(key), on]),
  )
  const isOn = (group: string, version: string): boolean => {
    const named = own.get(keyOf(group, version))
    if (named !== undefined || !hasStages(group)) return named ?? true
    const stage = (['api/ga', 'api/beta', 'api/alpha'] as const).find((name) => stages[name].test(version))
    return (stage && wanted[stage]) ?? wanted['api/all' satisfies Stage] ?? stage === 'api/ga'
  }
  return ({ group, version, resource }) => own.get(`${keyOf(group, version)}/${resource}`) ?? isOn(group, version)
}

/** Every version that an operator may name, those that are retired among them. */
export function namedVersions(groups: readonly ApiGroup[]): readonly GroupVersion[] {
  const definitions = groups.flatMap(({ resources }) => resources.flatMap((one) => [one, ...(one.alsoServedAs ?? [])]))
  const served = new Set(definitions.map(({ group, version }) => keyOf(group, version)))
  return groups.flatMap(({ name, types, resources, retiredVersions = [] }) => {
    // Types of other groups are those that subresources take (tokens, scales). Reviews are served without a definition.
    const versions = types.flatMap(({ groupVersion: { group, version } }) =>
      group === name && (resources.length === 0 || served.has(keyOf(group, version))) ? [version] : [],
    )
    return [...versions, ...retiredVersions].map((version) => ({ group: name, version }))
  })
}

/**
 * What is wrong with `wanted`, one sentence for each key. A version that is not `known` is wrong: an operator who turns it off must not believe
 * that it is off.
 */
export function runtimeConfigProblems(wanted: Readonly<Record<string, boolean>>, known: readonly GroupVersion[]): readonly string[] {
  if (wanted['api/all' satisfies Stage] === false && Object.keys(wanted).length === 1) {
    return ['invalid runtime-config with only api/all=false']
  }
  return Object.keys(wanted).flatMap((key) => (key in stages ? [] : (keyProblem(key, known) ?? [])))
}

function keyProblem(key: string, known: readonly GroupVersion[]): string | undefined {
  const groupVersion = groupVersionOf(key)
  if (groupVersion === undefined) return `runtime-config invalid key ${key}`
  const { group, version } = groupVersion
  const versions = known.filter((each) => each.group === group)
  if (versions.length === 0) return `unknown api groups ${group}/${version}`
  if (versions.some((each) => each.version === version)) return undefined
  return `group version ${keyOf(group, version)} that has not been registered`
}

/** "apps/v1", "apps/v1/deployments"; core's are "/v1", "v1", "api/v1", and "api/v1/pods". Another word alone is not a key. */
function groupVersionOf(key: string): GroupVersion | undefined {
  const parts = plainKey(key).split('/')
  if (parts.length > 3 || (!key.includes('/') && !/^v\d+$/.test(key))) return undefined
  if (parts.length === 1 || /^v\d+$/.test(parts[0]!)) return { group: '', version: parts[0]! }
  return { group: parts[0]!, version: parts[1]! }
}

function keyOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}

/** The core group's version is also written "api/v1". */
function plainKey(key: string): string {
  return key.startsWith('api/') ? key.slice(4) : key
}
