const texts = new WeakMap<object, string | undefined>()

/** Marks a value that many objects share and nobody modifies: it is serialized once for all of them. */
export function shareText(value: object): void {
  if (!texts.has(value)) texts.set(value, undefined)
}

/** Returns the cached text of a shared value; undefined for other values. */
export function sharedText(value: unknown, write: (value: object) => string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const text = texts.get(value)
  if (text !== undefined || !texts.has(value)) return text
  const written = write(value)
  texts.set(value, written)
  return written
}
