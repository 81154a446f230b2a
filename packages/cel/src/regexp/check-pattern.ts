import { classEnd } from './character-class.ts'
import { escapeEnd, PatternError } from './escape.ts'

const maxRepeat = 1000

/** Returns the error of Go's regexp package for an invalid pattern; undefined for a valid one. https://github.com/google/re2/wiki/Syntax */
export function findPatternError(pattern: string): string | undefined {
  try {
    new PatternChecker(pattern).check()
    return undefined
  } catch (error) {
    if (error instanceof PatternError) return `error parsing regexp: ${error.problem}: \`${error.part}\``
    throw error
  }
}

/** The parser's state within a group in parentheses: the last operand, which may be repeated, and repetition counts. */
interface Group {
  hasOperand: boolean
  /** Repetition count of the last operand. */
  repeats: number
  /** Largest repetition count of nested repetitions in the group. */
  most: number
}

class PatternChecker {
  readonly #text: string
  readonly #groups: Group[] = [newGroup()]
  #at = 0
  /** Start of the repetition operator directly before the position; -1 if there is none. */
  #lastRepeat = -1

  constructor(text: string) {
    this.#text = text
  }

  check(): void {
    while (this.#at < this.#text.length) {
      const start = this.#at
      const isRepeat = this.#step()
      this.#lastRepeat = isRepeat ? start : -1
    }
    if (this.#groups.length > 1) throw new PatternError('missing closing )', this.#text)
  }

  get #group(): Group {
    return this.#groups.at(-1)!
  }

  /** Parses one element of the pattern. Returns whether it was a repetition operator. */
  #step(): boolean {
    const character = this.#text[this.#at]!
    switch (character) {
      case '(':
        this.#open()
        return false
      case ')':
        this.#close()
        return false
      case '|':
        this.#at++
        this.#group.hasOperand = false
        return false
      case '*':
      case '+':
      case '?':
        this.#repeat(this.#at + 1, 1)
        return true
      case '{':
        return this.#counted()
      case '[':
        this.#operand(classEnd(this.#text, this.#at))
        return false
      case '\\':
        this.#escape()
        return false
      default:
        this.#operand(this.#at + (this.#text.codePointAt(this.#at)! > 0xffff ? 2 : 1))
        return false
    }
  }

  #operand(end: number, repeats = 1): void {
    this.#at = end
    this.#group.hasOperand = true
    this.#group.repeats = repeats
    this.#group.most = Math.max(this.#group.most, repeats)
  }

  #escape(): void {
    if (this.#text[this.#at + 1] !== 'Q') return this.#operand(escapeEnd(this.#text, this.#at))
    const endMark = this.#text.indexOf('\\E', this.#at + 2)
    const isEmpty = endMark === this.#at + 2 || this.#at + 2 === this.#text.length
    const end = endMark < 0 ? this.#text.length : endMark + 2
    if (isEmpty) this.#at = end
    else this.#operand(end)
  }

  #open(): void {
    if (this.#text[this.#at + 1] !== '?') {
      this.#at++
      this.#groups.push(newGroup())
      return
    }
    const rest = this.#text.slice(this.#at)
    const name = /^\(\?(?:P<(?=.)|<(?=.))/s.exec(rest)
    if (name !== null) {
      const end = rest.indexOf('>')
      if (end < 0) throw new PatternError('invalid named capture', rest)
      if (!/^\w+$/.test(rest.slice(name[0].length, end))) throw new PatternError('invalid named capture', rest.slice(0, end + 1))
      this.#at += end + 1
      this.#groups.push(newGroup())
      return
    }
    const flags = /^\(\?(?:[imsU]*(?:-[imsU]+)?)([:)])/.exec(rest)
    if (flags === null)
      throw new PatternError('invalid or unsupported Perl syntax', /^\(\?(?:[imsU]*(?:-[imsU]*)?)(?:.|$)/su.exec(rest)![0])
    this.#at += flags[0].length
    if (flags[1] === ':') this.#groups.push(newGroup())
  }

  #close(): void {
    if (this.#groups.length === 1) throw new PatternError('unexpected )', this.#text)
    const { most } = this.#groups.pop()!
    this.#operand(this.#at + 1, most)
  }

  #counted(): boolean {
    const match = /^\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}/.exec(this.#text.slice(this.#at, this.#at + 32))
    if (match === null) {
      this.#operand(this.#at + 1)
      return false
    }
    const [text, least, comma, most] = match
    const min = Number(least)
    const max = comma === undefined ? min : most === undefined ? -1 : Number(most)
    if (min > maxRepeat || max > maxRepeat || (max >= 0 && min > max)) throw new PatternError('invalid repeat count', text)
    this.#repeat(this.#at + text.length, max < 0 ? min : max)
    return true
  }

  #repeat(end: number, times: number): void {
    const after = this.#text[end] === '?' ? end + 1 : end
    if (this.#lastRepeat >= 0) throw new PatternError('invalid nested repetition operator', this.#text.slice(this.#lastRepeat, after))
    const part = this.#text.slice(this.#at, after)
    if (!this.#group.hasOperand) throw new PatternError('missing argument to repetition operator', part)
    const repeats = this.#group.repeats * Math.max(times, 1)
    if (times > 1 && repeats > maxRepeat) throw new PatternError('invalid repeat count', part)
    this.#operand(after, repeats)
  }
}

function newGroup(): Group {
  return { hasOperand: false, repeats: 1, most: 1 }
}
