import { goJson, verbatim, wasSentEmpty } from '@keelson/apimachinery'

/** A member of `owner` that is a map, as errors print it: by key, and `null` only when nothing was sent. */
export function printedMap<T extends object>(owner: T | undefined, member: keyof T & string): unknown {
  const map = owner?.[member]
  // Written out here, for an object puts keys that are numbers before others.
  if (map !== undefined && map !== null) return verbatim(printedObject(map))
  return owner !== undefined && wasSentEmpty(owner, member) ? {} : null
}

/** The same for a list. */
export function printedList<T extends object>(owner: T | undefined, member: keyof T & string): unknown {
  return owner?.[member] ?? (owner !== undefined && wasSentEmpty(owner, member) ? [] : null)
}

function printedObject(map: object): string {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, value]) => `${goJson(key)}:${goJson(value)}`).join(',')}}`
}
