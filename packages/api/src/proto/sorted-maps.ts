import { Buffer } from 'node:buffer'

/** Maps are written and shown in byte order of their keys. UTF-16 order only differs for characters beyond the basic multilingual plane. */
function compareKeys(a: string, b: string): number {
  return wide.test(a) || wide.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : a > b ? 1 : 0
}

const wide = /[\ud800-\uffff]/

export function sortedKeys(map: object): string[] {
  const keys = Object.keys(map)
  for (let i = 1; i < keys.length; i++) {
    if (compareKeys(keys[i - 1]!, keys[i]!) > 0) return keys.toSorted(compareKeys)
  }
  return keys
}

/** Assigns an own property, even if the key is `__proto__`. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  else target[key] = value
}

export function sortKeysInPlace(map: Record<string, unknown>): void {
  const entries = sortedKeys(map).map((key): [string, unknown] => [key, map[key]])
  for (const [key] of entries) delete map[key]
  for (const [key, value] of entries) setOwn(map, key, value)
}
