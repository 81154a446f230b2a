import type { GroupVersion } from '@keelson/apimachinery'
import type { RESTStorage } from '@keelson/registry'
import { ConfigurationError } from './configuration-error.ts'
import type { GroupToInstall } from './install-apis.ts'

const stages = {
  'api/all': /./,
  'api/ga': /^v\d+$/,
  'api/beta': /^v\d+beta\d+$/,
  'api/alpha': /^v\d+alpha\d+$/,
}
type Stage = keyof typeof stages

/**
 * What is served: the stable versions, but for what `wanted` says. A resource by its own name counts for more than its version, a version for more
 * than its stage, and its stage for more than all. Throws for what is no version here: whoever switches something off must not believe that it is off.
 */
export function enabledVersions(
  wanted: Readonly<Record<string, boolean>>,
): (groups: readonly GroupToInstall[]) => readonly GroupToInstall[] {
  return (groups) => {
    const [problem] = runtimeConfigProblems(wanted, groups)
    if (problem !== undefined) throw new ConfigurationError(problem)
    const named = new Map(Object.entries(wanted).filter(([key]) => !(key in stages)))
    const own = new Map([...named].map(([key, on]) => [plainKey(key), on]))
    const isOn = (group: string, version: string): boolean => {
      const stage = (['api/ga', 'api/beta', 'api/alpha'] as const).find((name) => stages[name].test(version))
      return own.get(keyOf(group, version)) ?? (stage && wanted[stage]) ?? wanted['api/all' satisfies Stage] ?? stage === 'api/ga'
    }
    return groups.flatMap((group) => {
      const enabled = new Map(
        group.versions.map(({ version }) => {
          const whole = isOn(group.name, version)
          return [version, filterPaths(group, version, (plural) => own.get(`${keyOf(group.name, version)}/${plural}`) ?? whole)] as const
        }),
      )
      const versions = group.versions.filter(({ version }) => enabled.get(version)!.size > 0)
      return versions.length === 0 ? [] : [{ ...group, versions, storage: enabled }]
    })
  }
}

function filterPaths(group: GroupToInstall, version: string, isOn: (plural: string) => boolean): ReadonlyMap<string, RESTStorage> {
  return new Map([...(group.storage.get(version) ?? [])].filter(([path]) => isOn(path.split('/')[0]!)))
}

type KnownGroup = Pick<GroupToInstall, 'name' | 'versions' | 'retiredVersions'>

/** What is wrong with `wanted`, one sentence for each key. */
export function runtimeConfigProblems(wanted: Readonly<Record<string, boolean>>, groups: readonly KnownGroup[]): readonly string[] {
  if (wanted['api/all' satisfies Stage] === false && Object.keys(wanted).length === 1) {
    return ['invalid runtime-config with only api/all=false']
  }
  return Object.keys(wanted).flatMap((key) => (key in stages ? [] : (keyProblem(key, groups) ?? [])))
}

function keyProblem(key: string, groups: readonly KnownGroup[]): string | undefined {
  const groupVersion = groupVersionOf(key)
  if (groupVersion === undefined) return `runtime-config invalid key ${key}`
  const { group, version } = groupVersion
  const found = groups.find(({ name }) => name === group)
  if (found === undefined) return `unknown api groups ${group}/${version}`
  if (found.versions.some((known) => known.version === version) || found.retiredVersions?.includes(version)) return undefined
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
