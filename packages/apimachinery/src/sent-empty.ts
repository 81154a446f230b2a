import { setOwn } from './json-reader.ts'

const emptied = new WeakMap<object, Set<string>>()

/**
 * Records that a member was sent empty, which the decoded object cannot show: absent and empty maps and lists are stored alike, but errors
 * distinguish them.
 */
export function rememberEmpty(owner: object, member: string): void {
  const members = emptied.get(owner)
  if (members === undefined) emptied.set(owner, new Set([member]))
  else members.add(member)
}

/** Returns whether `owner`, the decoded object and not a copy, was sent with `{}` or `[]` for this member. */
export function wasSentEmpty(owner: object, member: string): boolean {
  return emptied.get(owner)?.has(member) ?? false
}

/** Copies the "was sent empty" marks of `original` to `copy`, except for members in `replaced`; returns `copy`. */
export function asSent<T extends object>(copy: T, original: object, replaced: readonly string[] = []): T {
  const members = emptied.get(original)
  if (members !== undefined) emptied.set(copy, new Set([...members].filter((member) => !replaced.includes(member))))
  return copy
}

/** Copies deeply, including the "was sent empty" marks. */
export function copyAsSent<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyAsSent) as T
  const copy: { [key: string]: unknown } = {}
  for (const [key, member] of Object.entries(value)) setOwn(copy, key, copyAsSent(member))
  return asSent(copy, value) as T
}

/** Returns whether anything in the value was sent empty and not replaced since. */
export function holdsSentEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const member of emptied.get(value) ?? []) if (((value as Record<string, unknown>)[member] ?? null) === null) return true
  return Object.values(value).some(holdsSentEmpty)
}
