import { chooseScalarStyle } from './scalar-style.ts'

const bestWidth = 80
const breaks = /[\r\n\x85\u2028\u2029]/
const escapes: Readonly<Record<string, string>> = {
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '"': '"',
  '\\': '\\',
  '\x85': 'N',
  '\xa0': '_',
  '\u2028': 'L',
  '\u2029': 'P',
}
const escaped = /[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]|["\\\u2028\u2029]/u

/**
 * Writes YAML text and keeps track of the position. Breaks and indents lines like libyaml's emitter. Both depend on the column, and on whether
 * the line contains only indentation.
 */
export class Emitter {
  private readonly chunks: string[] = []
  private column = 0
  private whitespace = true
  /** True as long as the current line contains only indentation and indicators. */
  indention = true

  text(): string {
    return this.chunks.join('')
  }

  indent(to: number): void {
    if (!this.indention || this.column > to || (this.column === to && !this.whitespace)) this.lineBreak()
    if (this.column < to) this.put(' '.repeat(to - this.column))
    this.whitespace = true
    this.indention = true
  }

  indicator(text: string, options: { readonly spaced?: boolean; readonly whitespace?: boolean; readonly indention?: boolean }): void {
    if (options.spaced === true && !this.whitespace) this.put(' ')
    this.put(text)
    this.whitespace = options.whitespace === true
    this.indention = this.indention && options.indention === true
  }

  /** Writes a scalar. `indent` is the indentation of its continuation lines. */
  scalar(text: string, indent: number, simpleKey: boolean): void {
    switch (chooseScalarStyle(text, simpleKey)) {
      case 'plain':
        return this.plain(text, indent, !simpleKey)
      case 'single':
        return this.singleQuoted(text, indent, !simpleKey)
      case 'double':
        return this.doubleQuoted(text, indent, !simpleKey)
      case 'literal':
        return this.literal(text, indent)
    }
  }

  plain(text: string, indent: number, mayBreak: boolean): void {
    if (!this.whitespace) this.put(' ')
    this.flow(text, indent, mayBreak, { edges: true, write: (char) => this.put(char) })
  }

  private singleQuoted(text: string, indent: number, mayBreak: boolean): void {
    this.indicator("'", { spaced: true })
    this.flow(text, indent, mayBreak, { edges: false, write: (char) => this.put(char === "'" ? "''" : char) })
    this.indicator("'", {})
  }

  /** Writes words and replaces a single space by a line break if the line is long enough. */
  private flow(
    text: string,
    indent: number,
    mayBreak: boolean,
    style: { readonly edges: boolean; readonly write: (char: string) => void },
  ): void {
    const chars = [...text]
    let afterSpace = false
    let afterBreak = false
    for (const [i, char] of chars.entries()) {
      if (char === ' ') {
        const isInside = style.edges || (i > 0 && i < chars.length - 1)
        if (mayBreak && !afterSpace && this.column > bestWidth && isInside && chars[i + 1] !== ' ') this.indent(indent)
        else this.put(char)
        afterSpace = true
      } else if (breaks.test(char)) {
        if (!afterBreak && char === '\n') this.lineBreak()
        this.writeBreak(char)
        this.indention = true
        afterBreak = true
      } else {
        if (afterBreak) this.indent(indent)
        style.write(char)
        this.indention = false
        afterSpace = false
        afterBreak = false
      }
    }
    this.whitespace = false
    this.indention = false
  }

  private doubleQuoted(text: string, indent: number, mayBreak: boolean): void {
    this.indicator('"', { spaced: true })
    const chars = [...text]
    let afterSpace = false
    for (const [i, char] of chars.entries()) {
      if (escaped.test(char)) {
        this.put(escapeChar(char))
        afterSpace = false
      } else if (char === ' ') {
        if (mayBreak && !afterSpace && this.column > bestWidth && i > 0 && i < chars.length - 1) {
          this.indent(indent)
          if (chars[i + 1] === ' ') this.put('\\')
        } else this.put(char)
        afterSpace = true
      } else {
        this.put(char)
        afterSpace = false
      }
    }
    this.indicator('"', {})
    this.indention = false
  }

  private literal(text: string, indent: number): void {
    this.indicator('|', { spaced: true })
    if (text.startsWith(' ') || breaks.test(text[0]!)) this.indicator('2', {})
    const last = text.at(-1)!
    if (!breaks.test(last)) this.indicator('-', {})
    else if (text.length === 1 || breaks.test(text.at(-2)!)) this.indicator('+', {})
    this.lineBreak()
    this.indention = true
    this.whitespace = true
    let atStart = true
    for (const char of text) {
      if (breaks.test(char)) {
        this.writeBreak(char)
        this.indention = true
        atStart = true
      } else {
        if (atStart) this.indent(indent)
        this.put(char)
        this.indention = false
        atStart = false
      }
    }
  }

  private writeBreak(char: string): void {
    if (char === '\n') this.lineBreak()
    else {
      this.chunks.push(char)
      this.column = 0
    }
  }

  private lineBreak(): void {
    this.chunks.push('\n')
    this.column = 0
  }

  private put(text: string): void {
    this.chunks.push(text)
    this.column += text.codePointAt(0)! > 0xffff ? 1 : text.length
  }
}

function escapeChar(char: string): string {
  const short = escapes[char]
  if (short !== undefined) return `\\${short}`
  const hex = char.codePointAt(0)!.toString(16).toUpperCase()
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
