import { findClassEnd } from './character-class.ts'
import { escapeEnd, PatternError } from './escape.ts'

const maxRepeat = 1000

/**
 * Maximum size of a pattern, roughly the number of instructions of its program. Compiling a pattern of this size takes about 15 ms, which cannot be
 * interrupted. kube-apiserver allows three million instructions.
 */
const maxSize = 10_000
/** Maximum number of elements that are parsed. Nearly all of them add to the size, so the remaining ones are not checked for other errors. */
const maxElements = 2 * maxSize
/** Maximum work for parsing classes, in time that compiling a character takes. Repetitions copy a class without parsing it again. */
const maxClassWork = 10_000
const classWork = 4
const charactersPerWork = 8
const unicodeClassWork = 20
/** Factor for the work of classes if the pattern may ignore case, which adds all other cases of their characters. */
const ignoreCaseFactor = 5

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
  maximum: number
  size: number
  /** Size of the last operand. */
  lastSize: number
}

/** Finds characters that stand for themselves. */
const literals = /[^()|*+?{[\\]+/y

class PatternChecker {
  readonly #text: string
  readonly #groups: Group[] = [newGroup()]
  readonly #classFactor: number
  readonly #lastNameEnd: number
  #classWork = 0
  #at = 0
  /** Start of the repetition operator directly before the position; -1 if there is none. */
  #lastRepeat = -1

  constructor(text: string) {
    this.#text = text
    this.#lastNameEnd = text.lastIndexOf(':]')
    this.#classFactor = /\(\?[msU]*i/.test(text) ? ignoreCaseFactor : 1
  }

  check(): void {
    for (let elements = 0; this.#at < this.#text.length; elements++) {
      if (elements === maxElements) throw new PatternError('expression too large', this.#text)
      const start = this.#at
      const isRepeat = this.#step()
      this.#lastRepeat = isRepeat ? start : -1
    }
    if (this.#groups.length > 1) throw new PatternError('missing closing )', this.#text)
    if (this.#group.size > maxSize || this.#classWork > maxClassWork) throw new PatternError('expression too large', this.#text)
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
        this.#group.size++
        return false
      case '*':
      case '+':
      case '?':
        this.#repeat(this.#at + 1, 1)
        return true
      case '{':
        return this.#counted()
      case '[':
        this.#class(findClassEnd(this.#text, this.#at, this.#lastNameEnd))
        return false
      case '\\':
        this.#escape()
        return false
      default:
        this.#literals()
        return false
    }
  }

  /** Parses a run of characters in one step. A repetition operator after it repeats only the last one. */
  #literals(): void {
    const start = this.#at
    literals.lastIndex = start
    literals.test(this.#text)
    const end = literals.lastIndex
    const lastLength = end - start > 1 && this.#text.codePointAt(end - 2)! > 0xffff ? 2 : 1
    if (end - start > lastLength) this.#operand(end - lastLength, 1, end - lastLength - start)
    this.#operand(end)
  }

  #operand(end: number, repeats = 1, size = 1): void {
    const group = this.#group
    this.#at = end
    group.hasOperand = true
    group.repeats = repeats
    group.maximum = Math.max(group.maximum, repeats)
    group.size += size
    group.lastSize = size
  }

  #class(end: number): void {
    let work = classWork + Math.floor((end - this.#at) / charactersPerWork)
    const text = this.#text.slice(this.#at, end)
    for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at + 2)) if (/p/i.test(text[at + 1]!)) work += unicodeClassWork
    this.#classWork += work * this.#classFactor
    this.#operand(end)
  }

  #escape(): void {
    const letter = this.#text[this.#at + 1]
    if (letter === 'p' || letter === 'P') return this.#class(escapeEnd(this.#text, this.#at))
    if (letter !== 'Q') return this.#operand(escapeEnd(this.#text, this.#at))
    const endMark = this.#text.indexOf('\\E', this.#at + 2)
    const isEmpty = endMark === this.#at + 2 || this.#at + 2 === this.#text.length
    const end = endMark < 0 ? this.#text.length : endMark + 2
    if (isEmpty) this.#at = end
    else this.#operand(end, 1, end - this.#at)
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
    const { maximum, size } = this.#groups.pop()!
    this.#operand(this.#at + 1, maximum, size + 2)
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
    const { lastSize } = this.#group
    this.#group.size -= lastSize
    this.#operand(after, repeats, (lastSize + 1) * Math.max(times, 1))
  }
}

function newGroup(): Group {
  return { hasOperand: false, repeats: 1, maximum: 1, size: 0, lastSize: 0 }
}
