import type { JsonValue } from '../meta.ts'
import { compareUtf8 } from '../utf8-order.ts'

/** A total order: numbers, strings, booleans, lists, maps, null. */
export function compareValues(a: JsonValue, b: JsonValue): number {
  const rank = rankOf(a) - rankOf(b)
  if (rank !== 0) return rank
  if (typeof a === 'string') return compareUtf8(a, b as string)
  if (Array.isArray(a)) return compareLists(a, b as JsonValue[])
  if (typeof a === 'object' && a !== null) return compareMaps(a, b as { [key: string]: JsonValue })
  return a === b ? 0 : a! < b! ? -1 : 1
}

function rankOf(value: JsonValue): number {
  if (value === null) return 5
  if (Array.isArray(value)) return 3
  switch (typeof value) {
    case 'string':
      return 1
    case 'boolean':
      return 2
    case 'object':
      return 4
    default:
      return 0
  }
}

function compareLists(a: readonly JsonValue[], b: readonly JsonValue[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i]!, b[i]!)
    if (order !== 0) return order
  }
  return a.length - b.length
}

function compareMaps(a: { readonly [key: string]: JsonValue }, b: { readonly [key: string]: JsonValue }): number {
  const left = Object.keys(a).sort(compareUtf8)
  const right = Object.keys(b).sort(compareUtf8)
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = compareUtf8(left[i]!, right[i]!) || compareValues(a[left[i]!]!, b[right[i]!]!)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** Compares values; absent and null members differ. Numbers may be `bigint`. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'bigint' || typeof b === 'bigint')
    return typeof a === typeof b ? a === b : typeof a !== 'string' && typeof b !== 'string' && a == b
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!equalValues(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  const left = a as { readonly [key: string]: unknown }
  const right = b as { readonly [key: string]: unknown }
  let count = 0
  for (const key in left) {
    if (left[key] === undefined) continue
    if (!Object.hasOwn(right, key) || !equalValues(left[key], right[key])) return false
    count++
  }
  for (const key in right) if (right[key] !== undefined) count--
  return count === 0
}

/** Sorts the members of all maps by name, as Go writes maps. */
export function sortMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort(compareUtf8)
      .map((key) => [key, sortMembers(value[key]!)]),
  )
}
