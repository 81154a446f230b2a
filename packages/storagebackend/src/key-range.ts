import type { KeyRange } from './backend.ts'

/**
 * Byte order of UTF-8, without encoding. JavaScript compares UTF-16 code units, which is the same order but for one thing:
 * a surrogate (0xD800–0xDFFF, a character beyond 0xFFFF) sorts before 0xE000–0xFFFF there and after it in UTF-8.
 */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    if (x >= 0xd800 && y >= 0xd800) {
      const xSurrogate = x <= 0xdfff
      if (xSurrogate !== y <= 0xdfff) return xSurrogate ? 1 : -1
    }
    return x < y ? -1 : 1
  }
  return a.length < b.length ? -1 : 1
}

/** True when every code unit is below the surrogates; against such a key, JavaScript's `<` is byte order whatever the other key holds. */
export function isNarrowKey(key: string): boolean {
  for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) >= 0xd800) return false
  return true
}

/** All keys that start with `prefix`. "" is all keys but those that start with the noncharacter U+10FFFF. */
export function prefixRange(prefix: string): KeyRange {
  return { start: prefix, end: prefixEnd(prefix) }
}

/** The first key behind all that start with `prefix`: its last character that has a successor is replaced by that. */
export function prefixEnd(prefix: string): string {
  const points = Array.from(prefix)
  while (points.length > 0) {
    const last = points.pop()!.codePointAt(0)!
    if (last === 0x10ffff) continue
    // 0xD800–0xDFFF are no characters.
    points.push(String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1))
    return points.join('')
  }
  return '\u{10ffff}'
}

/** The one key. */
export function keyRange(key: string): KeyRange {
  return { start: key, end: undefined }
}

export function inRange(range: KeyRange, key: string): boolean {
  if (range.end === undefined) return key === range.start
  return compareKeys(key, range.start) >= 0 && compareKeys(key, range.end) < 0
}
