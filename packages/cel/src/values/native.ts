import { listElements, isList } from './list.ts'
import { findInMap, isMap, listKeys } from './map.ts'
import { formatValue } from './text.ts'
import { Duration } from './duration.ts'
import { Timestamp } from './timestamp.ts'
import { Double, isInt, OpaqueValue, Optional, StructValue, Uint } from './value.ts'
import type { Value } from './value.ts'

/**
 * Converts a result to a plain JavaScript value. Numbers beyond safe integers become bigints. An absent optional becomes undefined.
 * Timestamps, durations and other opaque values become text.
 */
export function toNative(value: Value): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || isInt(value)) return value
  if (isList(value)) return listElements(value).map(toNative)
  if (value instanceof Double) return value.value
  if (value instanceof Uint) return Number.isSafeInteger(Number(value.value)) ? Number(value.value) : value.value
  if (value instanceof Uint8Array) return value
  if (value instanceof Optional) return value.value === undefined ? undefined : toNative(value.value)
  if (value instanceof StructValue) return Object.fromEntries([...value.fields].map(([name, field]) => [name, toNative(field)]))
  if (isMap(value)) return Object.fromEntries(listKeys(value).map((key) => [formatValue(key), toNative(findInMap(value, key)!)]))
  if (value instanceof Duration || value instanceof Timestamp) return value.toString()
  return value instanceof OpaqueValue ? value.toString() : formatValue(value)
}
