/**
 * Compares by the bytes of UTF-8, without encoding. JavaScript compares UTF-16 code units, which gives the same order with one exception: there a
 * surrogate (0xD800–0xDFFF, half of a character beyond 0xFFFF) sorts before 0xE000–0xFFFF, in UTF-8 after it.
 */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    if (x >= 0xd800 && y >= 0xd800) {
      const isSurrogate = x <= 0xdfff
      if (isSurrogate !== y <= 0xdfff) return isSurrogate ? 1 : -1
    }
    return x < y ? -1 : 1
  }
  return a.length < b.length ? -1 : 1
}

/** True if every code unit is below the surrogates. JavaScript's `<` against such a text is UTF-8 order, whatever the other text contains. */
export function hasUtf16Order(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0xd800) return false
  return true
}
