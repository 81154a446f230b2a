import { compareUtf8 } from '@keelson/apimachinery'
import type { KeyRange } from './backend.ts'

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
  return compareUtf8(key, range.start) >= 0 && compareUtf8(key, range.end) < 0
}
