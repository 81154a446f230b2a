import { stringifyJson } from '@keelson/apimachinery'

type Members = Readonly<Record<string, unknown>>

/**
 * Returns the members of a plugin's configuration object that names its kind and apiVersion. Returns no members if there is no
 * configuration. Throws if the object has another kind than the one in `kinds` for its apiVersion.
 */
export function readTypedConfiguration(value: unknown, kinds: Readonly<Record<string, string>>): Members {
  if (value === undefined) return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('the configuration must be an object')
  const members = value as Members
  const { kind = '', apiVersion = '' } = members
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${formatSortedJson(value)}'`)
  if (apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${formatSortedJson(value)}'`)
  if (typeof apiVersion !== 'string' || !Object.hasOwn(kinds, apiVersion) || kinds[apiVersion] !== kind)
    throw new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
  return members
}

/** Formats a value like kube-apiserver, which sorts the keys of a configuration that it read from YAML. */
function formatSortedJson(value: unknown): string {
  return stringifyJson(sortKeys(value))
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value).toSorted()
  return Object.fromEntries(keys.map((key) => [key, sortKeys((value as Members)[key])]))
}

/** Returns a member that must be a list. Returns an empty list if it is absent or null. */
export function readListMember(members: Members, name: string, path: string): readonly unknown[] {
  const value = members[name] ?? []
  if (!Array.isArray(value)) throw new Error(`${path}${name} must be a list`)
  return value as readonly unknown[]
}

/** Returns a member that must be an integer of 32 bits. Returns 0 if it is absent or null. */
export function readInt32Member(members: Members, name: string, path: string): number {
  const value = members[name] ?? 0
  if (typeof value !== 'number' || value !== (value | 0)) throw new Error(`${path}.${name} must be an integer of 32 bits`)
  return value
}

/** Returns the members of an object in a list. Unknown members are allowed. */
export function readObject(value: unknown, path: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${path} must be an object`)
  return value as Members
}
