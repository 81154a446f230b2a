const maxEntries = 1024
/** Longer strings are rare and not worth the memory. */
const maxTextLength = 128

/** Memoizes a pure function of short, repeating strings, up to a limit. */
export function memoizeByText<T extends object>(answer: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = answer(text)
    if (text.length > maxTextLength) return made
    if (known.size >= maxEntries) known.clear()
    known.set(text, made)
    return made
  }
}
