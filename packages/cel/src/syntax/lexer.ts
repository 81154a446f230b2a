import { tokenNames } from './token.ts'
import type { Token, TokenName } from './token.ts'

const blank = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y
/** Character code of "/". Whitespace and comments start with this character or one with a lower code. */
const slash = 0x2f
const float = /(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y
const integer = /(?:0x[0-9a-fA-F]+|[0-9]+)([uU])?/y
const word = /[A-Za-z_][A-Za-z0-9_]*/y
const escapedWord = /`[A-Za-z0-9_.\-/ ]+`/y
const escape = String.raw`\\(?:[abfnrtv"'\\?${'`'}]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`
const oneLine = { '"': new RegExp(`"(?:${escape}|[^\\\\"\\n\\r])*"`, 'y'), "'": new RegExp(`'(?:${escape}|[^\\\\'\\n\\r])*'`, 'y') }
const raw = { '"': /"[^"\n\r]*"/y, "'": /'[^'\n\r]*'/y }
const escapeHere = new RegExp(escape, 'y')
/** Matches an unterminated string as far as it is valid. */
const unterminatedString = {
  '"': new RegExp(`"(?:${escape}|[^\\\\"\\n\\r])*`, 'y'),
  "'": new RegExp(`'(?:${escape}|[^\\\\'\\n\\r])*`, 'y'),
}
const partialEscape = /\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?/y
const partialEscapedWord = /`[A-Za-z0-9_.\-/ ]*/y

const symbols: ReadonlyMap<string, TokenName> = new Map(
  tokenNames.filter((name) => /^'[^a-z]+'$/.test(name)).map((name) => [name.slice(1, -1), name]),
)
const words: ReadonlyMap<string, TokenName> = new Map([
  ['in', "'in'"],
  ['true', "'true'"],
  ['false', "'false'"],
  ['null', "'null'"],
])

const beginsString: ReadonlySet<string> = new Set('bBrR"\'')
const beginsNumber: ReadonlySet<string> = new Set('0123456789.')

type Quote = '"' | "'"

/** Splits text into tokens. Invalid characters are reported and skipped. */
export class Lexer {
  readonly #text: string
  readonly #report: (offset: number, message: string) => void
  readonly #skipped: (readonly [start: number, end: number])[] = []
  #at = 0

  constructor(text: string, report: (offset: number, message: string) => void) {
    this.#text = text
    this.#report = report
  }

  next(): Token {
    for (;;) {
      if (this.#text.charCodeAt(this.#at) <= slash) this.#at += match(blank, this.#text, this.#at)
      const start = this.#at
      if (start >= this.#text.length) return { name: '<EOF>', text: '<EOF>', start }
      const token = this.#token(start)
      if (token !== undefined) {
        this.#at += token.text.length
        return token
      }
      this.#skip(start)
    }
  }

  /** Returns the source between two positions. Whitespace is included; skipped characters are not. */
  textBetween(start: number, end: number): string {
    let text = ''
    let from = start
    for (const [first, skippedEnd] of this.#skipped) {
      if (skippedEnd <= start || first >= end) continue
      text += this.#text.slice(from, first)
      from = skippedEnd
    }
    return text + this.#text.slice(from, end)
  }

  #token(start: number): Token | undefined {
    const make = (name: TokenName, length: number): Token => ({ name, text: this.#text.slice(start, start + length), start })
    const first = this.#text[start]!
    if (beginsString.has(first)) {
      const string = this.#string(start)
      if (string > 0) return make(first === 'b' || first === 'B' ? 'BYTES' : 'STRING', string)
    }
    if (beginsNumber.has(first)) {
      const floats = match(float, this.#text, start)
      const integers = match(integer, this.#text, start)
      if (floats > 0 && floats >= integers) return make('NUM_FLOAT', floats)
      if (integers > 0) return make(/[uU]$/.test(this.#text.slice(start, start + integers)) ? 'NUM_UINT' : 'NUM_INT', integers)
    }
    const letters = match(word, this.#text, start)
    if (letters > 0) return make(words.get(this.#text.slice(start, start + letters)) ?? 'IDENTIFIER', letters)
    if (first === '`') {
      const escaped = match(escapedWord, this.#text, start)
      if (escaped > 0) return make('ESC_IDENTIFIER', escaped)
    }
    for (const length of [2, 1]) {
      const name = symbols.get(this.#text.slice(start, start + length))
      if (name !== undefined) return make(name, length)
    }
    return undefined
  }

  /** Returns the length of the string or bytes literal at `start`; 0 if there is none. */
  #string(start: number): number {
    const prefix = /^(?:[bB]?[rR]?)/.exec(this.#text.slice(start, start + 2))![0]
    const at = start + prefix.length
    const quote = this.#text[at]
    if (quote !== '"' && quote !== "'") return 0
    const isRaw = /[rR]/.test(prefix)
    const many = this.#text.startsWith(quote.repeat(3), at) ? this.#manyLines(at, quote, isRaw) : 0
    const length = many > 0 ? many : match((isRaw ? raw : oneLine)[quote], this.#text, at)
    return length === 0 ? 0 : prefix.length + length
  }

  #manyLines(at: number, quote: Quote, isRaw: boolean): number {
    const end = quote.repeat(3)
    if (isRaw) {
      const index = this.#text.indexOf(end, at + 3)
      return index < 0 ? 0 : index + 3 - at
    }
    for (let i = at + 3; i < this.#text.length;) {
      if (this.#text.startsWith(end, i)) return i + 3 - at
      const step = this.#text[i] === '\\' ? match(escapeHere, this.#text, i) : 1
      if (step === 0) return 0
      i += step
    }
    return 0
  }

  /** Skips an invalid token up to and including the first unexpected character, and reports it. */
  #skip(start: number): void {
    const first = this.#text[start]!
    let end = start
    if (first === '"' || first === "'") {
      end += match(unterminatedString[first], this.#text, start)
      end += match(partialEscape, this.#text, end)
    } else if (first === '`') end += match(partialEscapedWord, this.#text, start)
    else if ('&|='.includes(first)) end++
    const last = this.#text.codePointAt(end)
    if (last !== undefined) end += last > 0xffff ? 2 : 1
    this.#at = end
    this.#skipped.push([start, end])
    this.#report(start, `token recognition error at: '${this.#text.slice(start, end)}'`)
  }
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex - at : 0
}
