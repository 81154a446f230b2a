import type { ObjectMeta } from '@keelson/apimachinery'
import type { StoredObject } from './storage.ts'

const start = Buffer.from('{"metadata":{')
const metadataStart = start.length - 1
const brace = { open: 0x7b, close: 0x7d, quote: 0x22, escape: 0x5c }

/**
 * Where the `metadata` member's value ends in a stored body, found without decoding. Undefined when metadata is not the first member.
 * `body.subarray(1, end)` then is `"metadata":{…}`, and the body's splice position lies in it.
 */
export function metadataEnd({ body, spliceAt }: StoredObject): number | undefined {
  if (start.compare(body, 0, start.length) !== 0) return undefined
  let depth = 1
  let at = start.length
  while (at < body.length) {
    const c = body[at]!
    if (c === brace.quote) {
      at = endOfString(body, at)
    } else if (c === brace.open) depth++
    else if (c === brace.close && --depth === 0) return at + 1 >= spliceAt ? at + 1 : undefined
    at++
  }
  return undefined
}

/** The metadata alone, a copy of the caller's own: of a large object much cheaper than the whole, and nothing of it stays in memory. */
export function readMetadata(stored: StoredObject): ObjectMeta {
  const end = metadataEnd(stored)
  if (end === undefined) return stored.copy().metadata
  const { body, revision } = stored
  const text = Buffer.from(body.buffer, body.byteOffset + metadataStart, end - metadataStart).toString('utf8')
  return { ...(JSON.parse(text) as ObjectMeta), resourceVersion: String(revision) }
}

/** A search costs as much as so many steps: names are shorter, and long values longer. */
const stepsOfSearch = 24

/** Index of the closing quote. */
function endOfString(body: Uint8Array, start: number): number {
  let at = start + 1
  for (const stepped = at + stepsOfSearch; at < stepped; at++) {
    const c = body[at]
    if (c === brace.quote || c === undefined) return at
    if (c === brace.escape) at++
  }
  for (; ; at++) {
    at = body.indexOf(brace.quote, at)
    if (at < 0) return body.length
    let slashes = 0
    while (body[at - 1 - slashes] === brace.escape) slashes++
    if (slashes % 2 === 0) return at
  }
}
