import { goJson, verbatim, wasSentEmpty } from '@keelson/apimachinery'

/** Prints a map field for error messages, sorted by key. Prints `null` only if the client did not send the field. */
export function printMap<T extends object>(owner: T | undefined, member: keyof T & string): unknown {
  const map = owner?.[member]
  // Not serialized as an object, because JavaScript puts integer keys first.
  if (map !== undefined && map !== null) return verbatim(serializeSorted(map))
  return owner !== undefined && wasSentEmpty(owner, member) ? {} : null
}

/** Prints a list field for error messages. Prints `null` only if the client did not send the field. */
export function printList<T extends object>(owner: T | undefined, member: keyof T & string): unknown {
  return owner?.[member] ?? (owner !== undefined && wasSentEmpty(owner, member) ? [] : null)
}

function serializeSorted(map: object): string {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, value]) => `${goJson(key)}:${goJson(value)}`).join(',')}}`
}
