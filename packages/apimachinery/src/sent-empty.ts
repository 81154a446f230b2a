import { setOwn } from './json-reader.ts'

const emptied = new WeakMap<object, Set<string>>()

/** A decoded object says nothing of a map or list that was sent empty: absent and empty are stored alike. Errors still tell them apart. */
export function rememberEmpty(owner: object, member: string): void {
  const members = emptied.get(owner)
  if (members === undefined) emptied.set(owner, new Set([member]))
  else members.add(member)
}

/** Whether `owner`, as it was decoded and not a copy, was sent with `{}` or `[]` for this member. */
export function wasSentEmpty(owner: object, member: string): boolean {
  return emptied.get(owner)?.has(member) ?? false
}

/** A copy of a decoded object, or one with members changed: what was sent empty is told of it, too, but for what was `replaced`. Returns the copy. */
export function asSent<T extends object>(copy: T, original: object, replaced: readonly string[] = []): T {
  const members = emptied.get(original)
  if (members !== undefined) emptied.set(copy, new Set([...members].filter((member) => !replaced.includes(member))))
  return copy
}

/** A deep copy of which everything that was sent empty is told, too. */
export function copyAsSent<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyAsSent) as T
  const copy: { [key: string]: unknown } = {}
  for (const [key, member] of Object.entries(value)) setOwn(copy, key, copyAsSent(member))
  return asSent(copy, value) as T
}

/** Whether anything in it was, and nothing has taken its place since. */
export function holdsSentEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const member of emptied.get(value) ?? []) if (((value as Record<string, unknown>)[member] ?? null) === null) return true
  return Object.values(value).some(holdsSentEmpty)
}
