import { compareUtf8, setOwn } from '@keelson/apimachinery'

/** The keys in UTF-8 order, in which maps are written and shown. */
export function sortedKeys(map: object): string[] {
  const keys = Object.keys(map)
  for (let i = 1; i < keys.length; i++) {
    if (compareUtf8(keys[i - 1]!, keys[i]!) > 0) return keys.toSorted(compareUtf8)
  }
  return keys
}

export function sortKeysInPlace(map: Record<string, unknown>): void {
  const entries = sortedKeys(map).map((key): [string, unknown] => [key, map[key]])
  for (const [key] of entries) delete map[key]
  for (const [key, value] of entries) setOwn(map, key, value)
}
