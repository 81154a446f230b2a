import type { ObjectMeta } from '@keelson/apimachinery'
import type { StoredObject } from './storage.ts'

const start = Buffer.from('{"metadata":{')
const metadataStart = start.length - 1
const code = { space: 0x20, quote: 0x22, comma: 0x2c, colon: 0x3a, openList: 0x5b, escape: 0x5c, closeList: 0x5d, open: 0x7b, close: 0x7d }
const annotationsKey = Buffer.from(',"annotations":{')
const managersKey = Buffer.from(',"managedFields":[')

/** The position of metadata, the first member of a stored body, and of its two large members: annotations and managed fields. */
export interface MetadataSpan {
  /** `body.subarray(1, end)` is `"metadata":{…}` and contains the splice position. */
  readonly end: number
  /** From the comma before the first large member to the end of its value. Both are 0 if there is none. */
  readonly firstAt: number
  readonly firstEnd: number
  readonly secondAt: number
  readonly secondEnd: number
}

/** Finds metadata without decoding. Undefined if it is not the first member. */
export function findMetadata({ body, spliceAt }: Pick<StoredObject, 'body' | 'spliceAt'>): MetadataSpan | undefined {
  if (start.compare(body, 0, start.length) !== 0) return undefined
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let firstAt = 0
  let firstEnd = 0
  let secondAt = 0
  let secondEnd = 0
  /** The character that ends the large value which is skipped now: its first occurrence outside of strings and brackets. */
  let closing = 0
  let depth = 1
  for (let at = start.length; at < bytes.length; at++) {
    const c = bytes[at]!
    if (c === code.quote) {
      if (depth === 1 && closing === 0) {
        closing = closingOf(bytes, at - 1)
        if (closing !== 0) {
          if (firstAt === 0) firstAt = at - 1
          else secondAt = at - 1
          const end = endBySearch(bytes, at - 1, closing)
          if (end > 0) {
            if (secondAt === 0) firstEnd = end
            else secondEnd = end
            closing = 0
            at = end - 1
            continue
          }
        }
      }
      at = endOfString(bytes, at)
      continue
    }
    if (c === code.open) depth++
    else if (c === code.close) depth--
    if (depth === 0) return at + 1 >= spliceAt ? { end: at + 1, firstAt, firstEnd, secondAt, secondEnd } : undefined
    if (depth === 1 && closing !== 0 && c === closing) {
      closing = 0
      if (secondAt === 0) firstEnd = at + 1
      else secondEnd = at + 1
    }
  }
  return undefined
}

/** Decodes only the metadata, into a copy for the caller. For a large object that is much cheaper than the whole, and nothing stays in memory. */
export function readMetadata(stored: StoredObject): ObjectMeta {
  const span = findMetadata(stored)
  if (span === undefined) return stored.copy().metadata
  const { body, revision } = stored
  const text = Buffer.from(body.buffer, body.byteOffset + metadataStart, span.end - metadataStart).toString('utf8')
  return { ...(JSON.parse(text) as ObjectMeta), resourceVersion: String(revision) }
}

/** The character that ends the value of the member with its comma at `at`, if that member is a large one; else 0. */
function closingOf(bytes: Uint8Array, at: number): number {
  if (standsAt(bytes, at, annotationsKey)) return code.close
  return standsAt(bytes, at, managersKey) ? code.closeList : 0
}

/** The first letter rules out most other names. */
function standsAt(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 2; i < key.length; i++) if (bytes[at + i] !== key[i]) return false
  return bytes[at] === key[0]
}

/**
 * The end of the large value whose key has its comma at `at`, if two searches can find it; else 0. Annotations contain no object, and managed
 * fields, which are many short strings, no list. So the first such closing bracket ends the value, unless it is inside a string.
 */
function endBySearch(bytes: Buffer, at: number, closing: number): number {
  const isObject = closing === code.close
  const inside = at + (isObject ? annotationsKey : managersKey).length
  const end = bytes.indexOf(closing, inside)
  if (end < 0 || !isOutsideStrings(bytes, end)) return 0
  const nested = bytes.indexOf(isObject ? code.open : code.openList, inside)
  return nested < 0 || nested > end ? end + 1 : 0
}

/**
 * True if the closing brackets before `at` are outside of strings. Then the text ends here, or a comma and a quote follow that cannot end a string,
 * so the quote starts one. False proves nothing.
 */
function isOutsideStrings(bytes: Buffer, at: number): boolean {
  while (bytes[at] === code.close || bytes[at] === code.closeList) at++
  return at === bytes.length || (bytes[at] === code.comma && bytes[at + 1] === code.quote && !mayFollowString(bytes[at + 2]))
}

function mayFollowString(c: number | undefined): boolean {
  return c === undefined || c <= code.space || c === code.comma || c === code.colon || c === code.close || c === code.closeList
}

/** One native search costs about as much as so many steps. Names are shorter, long values longer. */
const stepsOfSearch = 24

/** The index of the closing quote. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; ; at++) {
    for (const stepped = at + stepsOfSearch; at < stepped; at++) {
      const c = bytes[at]
      if (c === code.quote || c === undefined) return at
      if (c === code.escape) at++
    }
    at = bytes.indexOf(code.quote, at)
    if (at < 0) return bytes.length
    let slashes = 0
    while (bytes[at - 1 - slashes] === code.escape) slashes++
    if (slashes % 2 === 0) return at
  }
}
