/** Keywords and reserved words. */
export const reservedWords: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(' '),
)

const name = /^[_a-zA-Z][_a-zA-Z0-9]*$/

/** Returns whether the text is usable as an identifier. */
export function isIdentifier(text: string): boolean {
  return name.test(text) && !reservedWords.has(text)
}
