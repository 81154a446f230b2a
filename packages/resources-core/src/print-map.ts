import { goJson, createVerbatimValue, wasSentEmpty } from '@keelson/apimachinery'

/** Returns a map field for printing in an error message, with sorted keys. Returns null only if the client did not send the field. */
export function printMap<T extends object>(owner: T | undefined, member: keyof T & string): unknown {
  const map = owner?.[member]
  // Serialized here, because a JavaScript object would list integer keys first.
  if (map !== undefined && map !== null) return createVerbatimValue(serializeSorted(map))
  return owner !== undefined && wasSentEmpty(owner, member) ? {} : null
}

/** Returns a list field for printing in an error message. Returns null only if the client did not send the field. */
export function printList<T extends object>(owner: T | undefined, member: keyof T & string): unknown {
  return owner?.[member] ?? (owner !== undefined && wasSentEmpty(owner, member) ? [] : null)
}

function serializeSorted(map: object): string {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, value]) => `${goJson(key)}:${goJson(value)}`).join(',')}}`
}
