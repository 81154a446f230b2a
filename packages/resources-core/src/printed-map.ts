import { wasSentEmpty } from '@keelson/apimachinery'

/** A member of `owner` that is a map, as errors print it: by key, and `null` only when nothing was sent. */
export function printedMap<T extends object>(owner: T | undefined, member: keyof T & string): unknown {
  const map = owner?.[member]
  if (map !== undefined && map !== null) return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))
  return owner !== undefined && wasSentEmpty(owner, member) ? {} : null
}
