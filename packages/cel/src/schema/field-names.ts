import { reservedWords } from '../syntax/reserved-words.ts'

/** Escape sequences of characters that property names may contain but identifiers may not. */
const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}
const sequences: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' }

/**
 * Returns the identifier that expressions use for a property: `a-b` becomes `a__dash__b`. Returns undefined if expressions cannot access the
 * property.
 */
export function escapeFieldName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined
  if (reservedWords.has(name)) return `__${name}__`
  return name.replace(/__|[-./]/g, (character) => escapes[character]!)
}

/** Returns the property that an identifier stands for: `a__dash__b` becomes `a-b`. Returns undefined for an invalid escape sequence. */
export function unescapeFieldName(identifier: string): string | undefined {
  if (!identifier.includes('__')) return identifier
  let isValid = true
  const name = identifier.replace(/__([^_]+)__/g, (escape, word: string) => {
    if (Object.hasOwn(sequences, word)) return sequences[word]!
    if (!reservedWords.has(word) || escape.length !== identifier.length) isValid = false
    return word
  })
  return isValid ? name : undefined
}
