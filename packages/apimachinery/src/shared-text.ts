const texts = new WeakMap<object, string | undefined>()

/** Says that many objects have this very value in them, and that nobody changes it any more: it is written as JSON once for all of them. */
export function shareText(value: object): void {
  if (!texts.has(value)) texts.set(value, undefined)
}

/** The text of a value that is shared; undefined for others. */
export function sharedText(value: unknown, write: (value: object) => string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const text = texts.get(value)
  if (text !== undefined || !texts.has(value)) return text
  const written = write(value)
  texts.set(value, written)
  return written
}
