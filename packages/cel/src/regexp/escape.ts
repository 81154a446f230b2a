/** The error of a regular expression with the invalid part. */
export class PatternError extends Error {
  readonly problem: string
  readonly part: string

  constructor(problem: string, part: string) {
    super(`${problem}: ${part}`)
    this.problem = problem
    this.part = part
  }
}

const alone = /\\[AbBz]/y
const oneCharacter = /\\(?:0[0-7]{0,2}|[1-7][0-7]{1,2}|x(?:[0-9a-fA-F]{2}|\{[0-9a-fA-F]+\})|[afnrtv]|[^0-9A-Za-z\u0080-\u{10ffff}])/uy
/** Matches an invalid escape as far as Go's message shows it. */
const partialEscape = /\\(?:x(?:\{[0-9a-fA-F]*.?|..?)?|.)/suy

/** Returns the end of the escape at `start`, which is a character, a class or an assertion. */
export function escapeEnd(text: string, start: number): number {
  return matchEnd(alone, text, start) ?? findClassEscapeEnd(text, start) ?? findCharacterEscapeEnd(text, start)
}

/** Returns the end of a single-character escape. */
export function findCharacterEscapeEnd(text: string, start: number): number {
  const end = matchEnd(oneCharacter, text, start)
  const isTooLarge = end !== undefined && text[start + 2] === '{' && Number.parseInt(text.slice(start + 3, end - 1), 16) > 0x10ffff
  if (end !== undefined && !isTooLarge) return end
  if (start + 1 === text.length) throw new PatternError('trailing backslash at end of expression', '')
  throw new PatternError('invalid escape sequence', text.slice(start, matchEnd(partialEscape, text, start)))
}

/** Returns the end of a class escape such as `\d` or `\p{Greek}`; undefined for other escapes. */
export function findClassEscapeEnd(text: string, start: number): number | undefined {
  const letter = text[start + 1] ?? ''
  if ('dDsSwW'.includes(letter) && letter !== '') return start + 2
  if (letter !== 'p' && letter !== 'P') return undefined
  const isLong = text[start + 2] === '{'
  const close = isLong ? text.indexOf('}', start) : -1
  if (isLong && close < 0) throw new PatternError('invalid character class range', text.slice(start))
  const first = text.codePointAt(start + 2)
  const end = isLong ? close + 1 : start + 2 + (first === undefined ? 0 : first > 0xffff ? 2 : 1)
  const name = isLong ? text.slice(start + 3, close).replace(/^\^/, '') : text.slice(start + 2, end)
  if (!isUnicodeClass(name)) throw new PatternError('invalid character class range', text.slice(start, end))
  return end
}

function isUnicodeClass(name: string): boolean {
  if (['Any', 'ASCII', 'Assigned'].includes(name)) return true
  if (!/^\w+$/.test(name)) return false
  return ['gc', 'sc'].some((property) => {
    try {
      return new RegExp(`\\p{${property}=${name}}`, 'u').unicode
    } catch {
      return false
    }
  })
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
