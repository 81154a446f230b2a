import { formatGroupVersion } from '@keelson/apimachinery'
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
 * Returns a predicate that is true for resources that are served. Stable versions are served by default. `overrides` change that by
 * resource, version, stability level or `api/all`; the most specific override applies. Groups without stability levels (`hasStages`) are
 * served in every version by default.
 */
export function createResourceFilter(
  overrides: Readonly<Record<string, boolean>>,
  hasStages: (group: string) => boolean = () => true,
): (resource: GroupVersionResource) => boolean {
  const byKey = new Map(
    Object.entries(overrides)
      .filter(([key]) => !(key in stages))
      .map(([key, enabled]) => [normalizeKey(key), enabled]),
  )
  const isEnabled = (group: string, version: string): boolean => {
    const override = byKey.get(formatGroupVersion({ group, version }))
    if (override !== undefined || !hasStages(group)) return override ?? true
    const stage = (['api/ga', 'api/beta', 'api/alpha'] as const).find((name) => stages[name].test(version))
    return (stage && overrides[stage]) ?? overrides['api/all' satisfies Stage] ?? stage === 'api/ga'
  }
  return ({ group, version, resource }) => byKey.get(`${formatGroupVersion({ group, version })}/${resource}`) ?? isEnabled(group, version)
}

/** Returns all versions that `--runtime-config` accepts, including retired ones. */
export function listVersions(groups: readonly ApiGroup[]): readonly GroupVersion[] {
  const definitions = groups.flatMap(({ resources }) => resources.flatMap((one) => [one, ...(one.alsoServedAs ?? [])]))
  const servedVersions = new Set(definitions.map(({ group, version }) => formatGroupVersion({ group, version })))
  return groups.flatMap(({ name, types, resources, retiredVersions = [] }) => {
    // Skips other groups: their types only occur in subresources (tokens, scales). Review APIs are served although they have no resource
    // definition.
    const versions = types.flatMap(({ groupVersion: { group, version } }) =>
      group === name && (resources.length === 0 || servedVersions.has(formatGroupVersion({ group, version }))) ? [version] : [],
    )
    return [...versions, ...retiredVersions].map((version) => ({ group: name, version }))
  })
}

/**
 * Returns the problems of `--runtime-config`, one sentence for each invalid key. Unknown versions are rejected, so that a typo is noticed.
 */
export function findRuntimeConfigProblems(
  overrides: Readonly<Record<string, boolean>>,
  knownVersions: readonly GroupVersion[],
): readonly string[] {
  if (overrides['api/all' satisfies Stage] === false && Object.keys(overrides).length === 1) {
    return ['invalid runtime-config with only api/all=false']
  }
  return Object.keys(overrides).flatMap((key) => (key in stages ? [] : (findKeyProblem(key, knownVersions) ?? [])))
}

function findKeyProblem(key: string, knownVersions: readonly GroupVersion[]): string | undefined {
  const groupVersion = parseKey(key)
  if (groupVersion === undefined) return `runtime-config invalid key ${key}`
  const { group, version } = groupVersion
  const versions = knownVersions.filter((each) => each.group === group)
  if (versions.length === 0) return `unknown api groups ${group}/${version}`
  if (versions.some((each) => each.version === version)) return undefined
  return `group version ${formatGroupVersion({ group, version })} that has not been registered`
}

/**
 * Parses a key of `--runtime-config`, such as "apps/v1" or "apps/v1/deployments". Keys of the core group may also be "/v1", "v1", "api/v1"
 * and "api/v1/pods". Returns undefined for invalid keys.
 */
function parseKey(key: string): GroupVersion | undefined {
  const segments = normalizeKey(key).split('/')
  if (segments.length > 3 || (!key.includes('/') && !/^v\d+$/.test(key))) return undefined
  if (segments.length === 1 || /^v\d+$/.test(segments[0]!)) return { group: '', version: segments[0]! }
  return { group: segments[0]!, version: segments[1]! }
}

/** Removes the prefix "api/" from keys of the core group. */
function normalizeKey(key: string): string {
  return key.startsWith('api/') ? key.slice(4) : key
}
