import { setOwn } from './json-reader.ts'

/** The marks are a property of the object that they are about. It is not enumerable: a plain copy, a comparison and JSON leave it out. */
const sentEmpty: unique symbol = Symbol.for('keelson.sentEmpty')

interface Marked {
  readonly [sentEmpty]?: Set<string>
}

function marksOf(owner: object): Set<string> | undefined {
  return (owner as Marked)[sentEmpty]
}

function mark(owner: object, members: Set<string>): void {
  Object.defineProperty(owner, sentEmpty, { value: members, configurable: true })
}

/**
 * Records that a member was sent empty, which the decoded object cannot show: absent and empty maps and lists are stored alike, but errors
 * distinguish them.
 */
export function rememberEmpty(owner: object, member: string): void {
  const members = marksOf(owner)
  if (members === undefined) mark(owner, new Set([member]))
  else members.add(member)
}

/** Returns whether `owner`, the decoded object and not a copy, was sent with `{}` or `[]` for this member. */
export function wasSentEmpty(owner: object, member: string): boolean {
  return marksOf(owner)?.has(member) ?? false
}

/** Copies the "was sent empty" marks of `original` to `copy`, except for members in `replaced`; returns `copy`. */
export function asSent<T extends object>(copy: T, original: object, replaced: readonly string[] = []): T {
  const members = marksOf(original)
  if (members !== undefined) mark(copy, new Set([...members].filter((member) => !replaced.includes(member))))
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
  for (const member of marksOf(value) ?? []) if (((value as Record<string, unknown>)[member] ?? null) === null) return true
  return Object.values(value).some(holdsSentEmpty)
}
