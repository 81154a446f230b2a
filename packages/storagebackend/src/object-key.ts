import { quote, compareUtf8 } from '@keelson/apimachinery'
import type { KeyRange } from './backend.ts'

/**
 * Checks the key of an object, or the prefix of a list (`recursive`). Adds the final "/" to a prefix, so that "/pods/foo" does not list
 * "/pods/foobar". Throws for keys with the segments "." or "..", and for keys outside of the resource's prefix. Names come from clients, so
 * even a bug in a calling layer must not give access to another resource.
 */
export function prepareKey(prefix: string, key: string, recursive: boolean): string {
  if (hasDotStep(key)) throw new InvalidKeyError(`invalid key: ${quote(key)}`)
  if (key === '' || key === '/') throw new InvalidKeyError(`empty key: ${quote(key)}`)
  if (!key.isWellFormed()) throw new InvalidKeyError(`invalid key: ${quote(key)}`)
  const prepared = recursive && !key.endsWith('/') ? `${key}/` : key
  if (!prepared.startsWith(prefix)) {
    throw new InvalidKeyError(`invalid key: ${quote(key)} lacks resource prefix: ${quote(prefix)}`)
  }
  return prepared
}

function hasDotStep(key: string): boolean {
  // Few keys have a dot after a slash, so this check avoids most searches.
  if (!key.includes('/.') && !key.startsWith('.')) return false
  return hasPathStep(key, '..') || hasPathStep(key, '.')
}

function hasPathStep(key: string, step: string): boolean {
  return key === step || key.startsWith(`${step}/`) || key.endsWith(`/${step}`) || key.includes(`/${step}/`)
}

/**
 * The error of a key that callers must never pass. It means a bug in a calling layer, or an attempt to access keys outside of the prefix.
 */
export class InvalidKeyError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidKeyError'
  }
}

/** Returns the range of all keys that start with `prefix`. The range of "" excludes keys that start with the noncharacter U+10FFFF. */
export function createPrefixRange(prefix: string): KeyRange {
  return { start: prefix, end: computePrefixEnd(prefix) }
}

/**
 * Returns the smallest key that is greater than all keys with the prefix. Computes it by incrementing the last character that has a
 * successor.
 */
export function computePrefixEnd(prefix: string): string {
  const points = Array.from(prefix)
  while (points.length > 0) {
    const last = points.pop()!.codePointAt(0)!
    if (last === 0x10ffff) continue
    // Skip the code points 0xD800 to 0xDFFF, which are surrogates and not characters.
    points.push(String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1))
    return points.join('')
  }
  return '\u{10ffff}'
}

/** Returns the range that contains only this key. */
export function createKeyRange(key: string): KeyRange {
  return { start: key, end: undefined }
}

/** Returns whether the range contains the key. */
export function isInRange(range: KeyRange, key: string): boolean {
  if (range.end === undefined) return key === range.start
  return compareUtf8(key, range.start) >= 0 && compareUtf8(key, range.end) < 0
}
