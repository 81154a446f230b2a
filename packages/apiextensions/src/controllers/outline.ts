import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { CorruptObjectError } from '@keelson/storagebackend'
import type { StoredObject } from '@keelson/storagebackend'
import { approvalAnnotation } from '../definitions/api-approval.ts'

const code = { quote: 0x22, comma: 0x2c, openList: 0x5b, escape: 0x5c, closeList: 0x5d, open: 0x7b, close: 0x7d }
const omittedMembers = [
  { depth: 4, name: Buffer.from('"schema":{') },
  { depth: 2, name: Buffer.from('"managedFields":[') },
]

/**
 * Decodes a stored definition without the schemas of its versions, managed fields, and annotations other than the API approval. Searches
 * the ends of schemas in the bytes, which takes a fraction of the time for decoding them.
 */
export function readOutline({ body, key, revision }: StoredObject<CustomResourceDefinition>): DeepReadonly<CustomResourceDefinition> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const slices: string[] = []
  let keptUntil = 0
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const c = bytes[at]
    if (c === code.open || c === code.openList) depth++
    else if (c === code.close || c === code.closeList) depth--
    else if (c === code.quote) {
      const omitted = omittedMembers.find((member) => member.depth === depth && isMemberAt(bytes, at, member.name))
      if (omitted === undefined) {
        at = endOfString(bytes, at)
        continue
      }
      const end = endOfValue(bytes, at + omitted.name.length - 1)
      const isFirst = bytes[at - 1] !== code.comma
      slices.push(bytes.toString('utf8', keptUntil, isFirst ? at : at - 1))
      // Removes one of the two commas around the member.
      keptUntil = isFirst && bytes[end] === code.comma ? end + 1 : end
      at = end - 1
    }
  }
  slices.push(bytes.toString('utf8', keptUntil))
  try {
    const outline = JSON.parse(slices.join('')) as CustomResourceDefinition
    const approval = outline.metadata.annotations?.[approvalAnnotation]
    // Annotations may contain a copy of the whole definition, from kubectl apply.
    delete outline.metadata.annotations
    if (approval !== undefined) outline.metadata.annotations = { [approvalAnnotation]: approval }
    outline.metadata.resourceVersion = String(revision)
    return outline
  } catch (cause) {
    throw new CorruptObjectError(`the stored body of ${key} is not JSON`, { cause })
  }
}

/** Returns whether a member with this name is at `at`. Its name is the text up to the bracket that opens the value. */
function isMemberAt(bytes: Buffer, at: number, name: Buffer): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false
  return true
}

/** Returns the index after an object or list that begins at `at`. */
function endOfValue(bytes: Buffer, at: number): number {
  let depth = 0
  for (; at < bytes.length; at++) {
    const c = bytes[at]
    if (c === code.quote) at = endOfString(bytes, at)
    else if (c === code.open || c === code.openList) depth++
    else if ((c === code.close || c === code.closeList) && --depth === 0) return at + 1
  }
  return at
}

/** Number of bytes that are compared one by one before a native search. Most strings are shorter. */
const stepsBeforeSearch = 24

/** Returns the index of the closing quote of the string that begins at `at`. */
function endOfString(bytes: Buffer, at: number): number {
  const stop = at + stepsBeforeSearch
  for (at++; at < stop; at++) {
    const c = bytes[at]
    if (c === code.quote || c === undefined) return at
    if (c === code.escape) at++
  }
  for (at = bytes.indexOf(code.quote, at); at >= 0; at = bytes.indexOf(code.quote, at + 1)) {
    let escapes = 0
    while (bytes[at - 1 - escapes] === code.escape) escapes++
    if (escapes % 2 === 0) return at
  }
  return bytes.length
}
