const most = 1024
/** Longer ones are rare, and not worth the memory. */
const longest = 128

/** A function of short texts that come again and again, and that is pure: it is asked once for each, as long as there are not too many. */
export function rememberByText<T extends object>(answer: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = answer(text)
    if (text.length > longest) return made
    if (known.size >= most) known.clear()
    known.set(text, made)
    return made
  }
}
