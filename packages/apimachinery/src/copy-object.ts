import { setOwn } from './json-reader.ts'
import { mapList } from './map-list.ts'

/** Copies JSON deeply. Faster than structuredClone, which supports more types. */
export function copyObject<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return mapList(value, copyObject) as T
  const copy: { [key: string]: unknown } = {}
  const members = value as { readonly [key: string]: unknown }
  for (const key in members) setOwn(copy, key, copyObject(members[key]))
  return copy as T
}
