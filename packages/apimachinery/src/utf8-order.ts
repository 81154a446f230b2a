/**
 * Compares two texts by their UTF-8 bytes, without encoding them. JavaScript compares UTF-16 code units. The two orders differ only for
 * characters above 0xFFFF. JavaScript sorts their surrogates (0xD800–0xDFFF) before 0xE000–0xFFFF, UTF-8 sorts them after.
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

/**
 * Returns whether JavaScript's `<` compares this text with any other text like UTF-8 does. This is the case if all its code units are below the
 * surrogates.
 */
export function hasUtf16Order(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0xd800) return false
  return true
}
