import { findCharacterEscapeEnd, findClassEscapeEnd, PatternError } from './escape.ts'

const namedClasses: ReadonlySet<string> = new Set(
  'alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit'.split(' ').flatMap((name) => [name, `^${name}`]),
)

/** Finds characters that stand for themselves. The last one may begin a range. */
const literals = /[^\]\\[\-\ud800-\udfff]+/y
const literalsWithBrackets = /[^\]\\\-\ud800-\udfff]+/y

/**
 * Returns the end of the class `[…]` that begins at `start`. `lastNameEnd` is the position of the last `:]` of the pattern. Searching it for each
 * beginning of a name would take quadratic time.
 */
export function findClassEnd(text: string, start: number, lastNameEnd: number): number {
  let at = start + (text[start + 1] === '^' ? 2 : 1)
  for (let isFirst = true; isFirst || text[at] !== ']'; isFirst = false) {
    const after = skipLiterals(text, at, lastNameEnd)
    at =
      after > at
        ? after
        : ((at < lastNameEnd ? findNamedClassEnd(text, at) : undefined) ?? findEscapedClassEnd(text, at) ?? findRangeEnd(text, at, start))
  }
  return at + 1
}

/** Returns the position after all characters from `at` on that stand for themselves and begin no range. */
function skipLiterals(text: string, at: number, lastNameEnd: number): number {
  const found = at < lastNameEnd ? literals : literalsWithBrackets
  found.lastIndex = at
  if (!found.test(text)) return at
  const end = found.lastIndex
  return text[end] === '-' ? end - 1 : end
}

function findNamedClassEnd(text: string, at: number): number | undefined {
  const close = text.startsWith('[:', at) ? text.indexOf(':]', at + 2) : -1
  if (close < 0) return undefined
  if (!namedClasses.has(text.slice(at + 2, close))) throw new PatternError('invalid character class range', text.slice(at, close + 2))
  return close + 2
}

function findEscapedClassEnd(text: string, at: number): number | undefined {
  return text[at] === '\\' ? findClassEscapeEnd(text, at) : undefined
}

function findRangeEnd(text: string, at: number, start: number): number {
  const end = findCharacterEnd(text, at, start)
  if (text[end] !== '-' || text[end + 1] === ']' || end + 1 === text.length) return end
  const last = findCharacterEnd(text, end + 1, start)
  if (decodeCharacter(text.slice(end + 1, last)) < decodeCharacter(text.slice(at, end))) {
    throw new PatternError('invalid character class range', text.slice(at, last))
  }
  return last
}

function findCharacterEnd(text: string, at: number, start: number): number {
  const code = text.codePointAt(at)
  if (code === undefined) throw new PatternError('missing closing ]', text.slice(start))
  return code === 0x5c ? findCharacterEscapeEnd(text, at) : at + (code > 0xffff ? 2 : 1)
}

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }

function decodeCharacter(character: string): number {
  if (!character.startsWith('\\')) return character.codePointAt(0)!
  const escaped = character.slice(1)
  if (/^[0-7]/.test(escaped)) return Number.parseInt(escaped, 8)
  if (/^x./.test(escaped)) return Number.parseInt(escaped.replaceAll(/[x{}]/g, ''), 16)
  return controls[escaped] ?? escaped.codePointAt(0)!
}
