/** Words of the language, and words that it keeps for later. */
export const reservedWords: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(' '),
)

const name = /^[_a-zA-Z][_a-zA-Z0-9]*$/

/** Whether something may have this name in an expression. */
export function isIdentifier(text: string): boolean {
  return name.test(text) && !reservedWords.has(text)
}
