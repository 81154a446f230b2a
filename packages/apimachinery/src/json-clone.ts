import type { JsonObject, JsonValue } from './meta.ts'
import { setOwn } from './json-reader.ts'

/** A deep copy of JSON. */
export function cloneJson<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => cloneJson(item)) as T
  const copy: { [key: string]: unknown } = {}
  const members: JsonObject = value
  for (const key in members) setOwn(copy, key, cloneJson(members[key]!))
  return copy as T
}

/** Same value, order of members aside. */
export function equalJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]!))
  if (Array.isArray(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key]!, b[key]!))
}
