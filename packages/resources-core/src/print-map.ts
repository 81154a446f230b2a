import { goJson, verbatim, wasSentEmpty } from '@keelson/apimachinery'

/** Prints a map field for error messages, sorted by key; `null` only if the client did not send it. */
export function printMap<T extends object>(owner: T | undefined, member: keyof T & string): unknown {
  const map = owner?.[member]
  // Serialized here, because JavaScript objects put integer keys first.
  if (map !== undefined && map !== null) return verbatim(serializeSorted(map))
  return owner !== undefined && wasSentEmpty(owner, member) ? {} : null
}

/** Prints a list field for error messages; `null` only if the client did not send it. */
export function printList<T extends object>(owner: T | undefined, member: keyof T & string): unknown {
  return owner?.[member] ?? (owner !== undefined && wasSentEmpty(owner, member) ? [] : null)
}

function serializeSorted(map: object): string {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, value]) => `${goJson(key)}:${goJson(value)}`).join(',')}}`
}
