import { compareUtf8 } from '@keelson/apimachinery'
import type { KeyRange } from './backend.ts'

/** All keys that start with `prefix`. "" covers all keys except those that start with the noncharacter U+10FFFF. */
export function prefixRange(prefix: string): KeyRange {
  return { start: prefix, end: prefixEnd(prefix) }
}

/** The first key after all that start with `prefix`: the last character that has a successor is replaced by it. */
export function prefixEnd(prefix: string): string {
  const points = Array.from(prefix)
  while (points.length > 0) {
    const last = points.pop()!.codePointAt(0)!
    if (last === 0x10ffff) continue
    // 0xD800–0xDFFF are not characters.
    points.push(String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1))
    return points.join('')
  }
  return '\u{10ffff}'
}

/** The range of one key. */
export function keyRange(key: string): KeyRange {
  return { start: key, end: undefined }
}

export function inRange(range: KeyRange, key: string): boolean {
  if (range.end === undefined) return key === range.start
  return compareUtf8(key, range.start) >= 0 && compareUtf8(key, range.end) < 0
}
