import type { ObjectMeta } from '@keelson/apimachinery'
import type { StoredObject } from './storage.ts'

const start = Buffer.from('{"metadata":{')
const metadataStart = start.length - 1
const code = { space: 0x20, quote: 0x22, comma: 0x2c, colon: 0x3a, openList: 0x5b, escape: 0x5c, closeList: 0x5d, open: 0x7b, close: 0x7d }
const annotationsKey = Buffer.from(',"annotations":{')
const managersKey = Buffer.from(',"managedFields":[')

/**
 * The byte positions of metadata in a stored body, and of its two large members (annotations and managed fields). Metadata is the first
 * member of a body.
 */
export interface MetadataSpan {
  /** The end of metadata. `body.subarray(1, end)` is `"metadata":{…}` and contains the position `spliceAt`. */
  readonly end: number
  /**
   * The start of the first large member, at the comma before it. `firstEnd` is the end of its value. Both are 0 if there is no large
   * member.
   */
  readonly firstAt: number
  readonly firstEnd: number
  readonly secondAt: number
  readonly secondEnd: number
}

/** Finds the position of metadata in a stored body without decoding it. Returns undefined if metadata is not the first member. */
export function findMetadata({ body, spliceAt }: Pick<StoredObject, 'body' | 'spliceAt'>): MetadataSpan | undefined {
  if (start.compare(body, 0, start.length) !== 0) return undefined
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let firstAt = 0
  let firstEnd = 0
  let secondAt = 0
  let secondEnd = 0
  /** The character that ends the large member at the current position. The character counts only outside of strings and nested brackets. */
  let closing = 0
  let depth = 1
  for (let at = start.length; at < bytes.length; at++) {
    const c = bytes[at]!
    if (c === code.quote) {
      if (depth === 1 && closing === 0) {
        closing = findClosing(bytes, at - 1)
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

/**
 * Decodes only the metadata of a stored object, and returns a copy that the caller may change. For a large object this is much faster than
 * decoding the whole object.
 */
export function readMetadata(stored: StoredObject): ObjectMeta {
  const span = findMetadata(stored)
  return span === undefined ? stored.copy().metadata : decodeMetadata(stored, readText(stored, metadataStart, span.end))
}

/** Decodes the metadata of a stored object like `readMetadata`, without annotations and managed fields, which may be large. */
export function readSmallMetadata(stored: StoredObject): Omit<ObjectMeta, 'annotations' | 'managedFields'> {
  const span = findMetadata(stored)
  if (span === undefined || span.firstAt === 0) return readMetadata(stored)
  const { end, firstAt, firstEnd, secondAt, secondEnd } = span
  const middle = secondAt === 0 ? '' : readText(stored, firstEnd, secondAt)
  return decodeMetadata(stored, `${readText(stored, metadataStart, firstAt)}${middle}${readText(stored, secondEnd || firstEnd, end)}`)
}

function readText({ body }: StoredObject, start: number, end: number): string {
  return Buffer.from(body.buffer, body.byteOffset + start, end - start).toString('utf8')
}

function decodeMetadata({ revision }: StoredObject, text: string): ObjectMeta {
  return { ...(JSON.parse(text) as ObjectMeta), resourceVersion: String(revision) }
}

/**
 * Returns the character that ends the value of a large member. Returns 0 for any other member. `at` is the position of the comma before the
 * member.
 */
function findClosing(bytes: Uint8Array, at: number): number {
  if (hasNameAt(bytes, at, annotationsKey)) return code.close
  return hasNameAt(bytes, at, managersKey) ? code.closeList : 0
}

/**
 * Returns true if the member name `key` is at `at`. Compares from the first letter, because the first letter rules out most other names.
 */
function hasNameAt(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 2; i < key.length; i++) if (bytes[at + i] !== key[i]) return false
  return bytes[at] === key[0]
}

/**
 * Returns the end of a large member's value, found with two native searches. Returns 0 if these searches cannot decide. `at` is the
 * position of the comma before the member. Annotations contain no objects, and managed fields contain no lists but many short strings. So
 * the first closing bracket outside of strings ends the value.
 */
function endBySearch(bytes: Buffer, at: number, closing: number): number {
  const isObject = closing === code.close
  const contentStart = at + (isObject ? annotationsKey : managersKey).length
  const end = bytes.indexOf(closing, contentStart)
  if (end < 0 || !isOutsideStrings(bytes, end)) return 0
  const nested = bytes.indexOf(isObject ? code.open : code.openList, contentStart)
  return nested < 0 || nested > end ? end + 1 : 0
}

/**
 * Returns true if the closing brackets at `at` are certainly outside of strings. That is so if the text ends after them, or if a comma and
 * an opening quote follow. False means that it is unknown.
 */
function isOutsideStrings(bytes: Buffer, at: number): boolean {
  while (bytes[at] === code.close || bytes[at] === code.closeList) at++
  return at === bytes.length || (bytes[at] === code.comma && bytes[at + 1] === code.quote && !mayFollowString(bytes[at + 2]))
}

function mayFollowString(c: number | undefined): boolean {
  return c === undefined || c <= code.space || c === code.comma || c === code.colon || c === code.close || c === code.closeList
}

/** The number of loop steps that take as long as one native search. Most names are shorter than this, and large values are longer. */
const stepsOfSearch = 24

/** Returns the index of the closing quote of a string. */
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
