const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/

/** Words of the language, and words that it keeps for later. */
export const reservedWords: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)

/** Whether something may have this name in an expression. */
export function isExpressionName(name: string): boolean {
  return identifier.test(name) && !reservedWords.has(name)
}
