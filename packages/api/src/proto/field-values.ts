import type { Buffer } from 'node:buffer'
import { parseQuantity, parseJson, getSharedJson, stringifyJson, compareUtf8, setOwn } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'

const maxCached = 1024
const cache = new Map<string, string>()

/** Formats a quantity canonically, as kube-apiserver does when it encodes. Caches results, because objects contain few different quantities. */
export function canonicalQuantity(text: string): string {
  let canonical = cache.get(text)
  if (canonical === undefined) {
    try {
      canonical = parseQuantity(text).toString()
    } catch (error) {
      throw new ProtoError(`invalid quantity ${JSON.stringify(text)}`, { cause: error })
    }
    if (cache.size >= maxCached) cache.clear()
    if (text.length <= 32) cache.set(text, canonical)
  }
  return canonical
}

/**
 * Parses the JSON that a message contains as bytes (RawExtension, FieldsV1). Empty bytes mean null. As in `parseJson`, integers that a double
 * cannot represent become `bigint`.
 */
export function parseJsonBytes(text: string): JsonValue {
  if (text === '' || text === '{}') return text === '' ? null : {}
  try {
    return longDigits.test(text) ? parseJson(text).value : (JSON.parse(text) as JsonValue)
  } catch (error) {
    throw new ProtoError('embedded bytes are not JSON', { cause: error })
  }
}

const longDigits = /\d{16}/

/** Formats a value as JSON that a message contains as bytes. */
export function formatJsonBytes(value: JsonValue): string {
  const shared = getSharedJson(value)
  // The shared text can contain Go's escapes, such as \u003c for `<`, which must not be stored.
  if (shared !== undefined && !shared.includes('\\u')) return shared
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof TypeError) return stringifyJson(value)
    throw error
  }
}

/** Returns the keys of a map in UTF-8 order, in which protobuf and JSON contain them. */
export function sortedKeys(map: object): string[] {
  const keys = Object.keys(map)
  for (let i = 1; i < keys.length; i++) {
    if (compareUtf8(keys[i - 1]!, keys[i]!) > 0) return keys.toSorted(compareUtf8)
  }
  return keys
}

/** Sorts the keys of a map in UTF-8 order. */
export function sortKeysInPlace(map: Record<string, unknown>): void {
  const entries = sortedKeys(map).map((key): [string, unknown] => [key, map[key]])
  for (const [key] of entries) delete map[key]
  for (const [key, value] of entries) setOwn(map, key, value)
}

/** Methods of Node's buffers that convert directly. They skip the lookup of encoding names and default arguments. */
export interface FastBuffer extends Buffer {
  latin1Slice(start: number, end: number): string
  utf8Slice(start: number, end: number): string
  base64Slice(start: number, end: number): string
  latin1Write(text: string, offset: number, length: number): number
  utf8Write(text: string, offset: number, length: number): number
  base64Write(text: string, offset: number, length: number): number
}

/** Thrown if bytes are not a valid message, or if an object cannot be encoded. Codecs throw no other error. */
export class ProtoError extends Error {
  override readonly name = 'ProtoError'
}
