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
 * The versions that are served: all, but for what `wanted` says. A version by its own name counts for more than its stage, and its stage for more
 * than all. Throws for what is no version here: whoever switches something off must not believe that it is off.
 */
export function enabledVersions(
  wanted: Readonly<Record<string, boolean>>,
): (groups: readonly GroupToInstall[]) => readonly GroupToInstall[] {
  return (groups) => {
    const known = new Set(groups.flatMap(({ name, versions }) => versions.map(({ version }) => keyOf(name, version))))
    for (const key of Object.keys(wanted)) {
      if (!(key in stages) && !known.has(plainKey(key))) throw new ConfigurationError(`unknown api groups or versions: ${key}`)
    }
    const own = new Map(Object.entries(wanted).map(([key, on]) => [plainKey(key), on]))
    const isOn = (group: string, version: string): boolean => {
      const explicit = own.get(keyOf(group, version))
      if (explicit !== undefined) return explicit
      const stage = (['api/ga', 'api/beta', 'api/alpha'] as const).find((name) => stages[name].test(version))
      return (stage && wanted[stage]) ?? wanted['api/all' satisfies Stage] ?? true
    }
    return groups.flatMap((group) => {
      const versions = group.versions.filter(({ version }) => isOn(group.name, version))
      return versions.length === 0 ? [] : [{ ...group, versions }]
    })
  }
}

function keyOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}

/** The core group's version is also written "api/v1". */
function plainKey(key: string): string {
  return key.startsWith('api/') ? key.slice(4) : key
}
