import { setOwn } from './set-own.ts'
import type { JsonObject, JsonValue } from './meta.ts'
import { UndecodedObject } from './undecoded-object.ts'

/**
 * Returns whether a JSON value is an object, not a list or null. Must not be used on the input of `decodeStruct`, where a number may be a
 * `NumberLiteral` object.
 */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether two JSON values are equal. Ignores the order of object members. */
export function equalsJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalsJson(item, b[i]!))
  if (Array.isArray(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equalsJson(a[key]!, b[key]!))
}

/** Returns whether lists and objects are nested in a value to more levels than the limit. */
export function isDeeperThan(limit: number, value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null || value instanceof UndecodedObject) return false
  if (limit === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(limit - 1, item))
  for (const key in value) if (isDeeperThan(limit - 1, value[key]!)) return true
  return false
}

/**
 * Copies a JSON value deeply. Faster than structuredClone, because it supports only JSON types. The copy shares undecoded objects, which are
 * immutable.
 */
export function copyObject<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return mapList(value, copyObject) as T
  if (value instanceof UndecodedObject) return value
  const copy: { [key: string]: unknown } = {}
  const members = value as { readonly [key: string]: unknown }
  for (const key in members) setOwn(copy, key, copyObject(members[key]))
  return copy as T
}

/**
 * Maps a list like `items.map(change)`, but returns a packed array as `JSON.parse` does. In V8, an optimized `map` returns a holey array. One
 * holey array in an API object deoptimizes all code that reads lists. Use this function for lists that become part of API objects.
 */
export function mapList<Item, Changed>(items: readonly Item[], change: (item: Item, index: number) => Changed): Changed[] {
  const changed: Changed[] = []
  for (let i = 0; i < items.length; i++) changed.push(change(items[i]!, i))
  return changed
}
