import { appendAll, trim } from '@keelson/apimachinery'

/** One step of a JSONPath expression. A list of nodes is evaluated from left to right, each on the results of the one before. */
export type PathNode =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | { readonly kind: 'literal'; readonly value: string | number | bigint | boolean; readonly isFloat?: boolean }
  | { readonly kind: 'slice'; readonly start: number; readonly end: SliceEnd; readonly step: number | undefined }
  | { readonly kind: 'union'; readonly paths: readonly (readonly PathNode[])[] }
  | { readonly kind: 'filter'; readonly left: readonly PathNode[]; readonly right: readonly PathNode[]; readonly operator: string }
  /** A keyword such as `range`, which upstream evaluates only in templates. */
  | { readonly kind: 'keyword'; readonly name: string }

/** The end of a slice: an index, the end of the list, or the element after the start ("[2]"). */
type SliceEnd = number | 'end' | 'single'

/**
 * Parses a JSONPath expression without its braces, such as `.status.conditions[?(@.type=="Ready")].status`, as client-go does. Throws if it
 * is invalid.
 */
export function parseJsonPath(text: string): readonly PathNode[] {
  return new Parser(text).parse()
}

const terminators: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n', '', '.', ',', '[', ']', '$', '@', '{', '}'])

class Parser {
  readonly #text: string
  readonly #nodes: PathNode[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): readonly PathNode[] {
    while (this.#at < this.#text.length) this.#parseStep()
    return this.#nodes
  }

  #parseStep(): void {
    const form = this.#text.startsWith('[?(', this.#at) ? 'filter' : this.#text.startsWith('..', this.#at) ? 'recursive' : undefined
    if (form === 'filter') return this.#parseFilter()
    if (form === 'recursive') return this.#parseRecursive()
    const c = this.#text[this.#at]!
    if (c === ' ' || c === '@' || c === '$') this.#at++
    else if (c === '[') this.#parseArray()
    else if (c === '"' || c === "'") this.#parseQuote(c)
    else if (c === '.') this.#parseField(1)
    else if (c === '+' || c === '-' || isDigit(c)) this.#parseNumber()
    else if (isWordCharacter(c)) this.#parseWord()
    else throw new Error(`unrecognized character in action: ${c}`)
  }

  #parseRecursive(): void {
    if (this.#nodes.at(-1)?.kind === 'recursive') throw new Error('invalid multiple recursive descent')
    this.#at += 2
    this.#nodes.push({ kind: 'recursive' })
    if (isWordCharacter(this.#text[this.#at] ?? '')) this.#parseField(0)
  }

  #parseField(skip: number): void {
    this.#at += skip
    let name = ''
    for (; !terminators.has(this.#text[this.#at] ?? ''); this.#at++) {
      if (this.#text[this.#at] === '\\') this.#at++
      name += this.#text[this.#at] ?? ''
    }
    this.#nodes.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') })
  }

  #parseWord(): void {
    const start = this.#at
    while (!terminators.has(this.#text[this.#at] ?? '')) this.#at++
    const name = this.#text.slice(start, this.#at)
    this.#nodes.push(name === 'true' || name === 'false' ? { kind: 'literal', value: name === 'true' } : { kind: 'keyword', name })
  }

  #parseNumber(): void {
    const [number] = /^[+-]?[.\d]*/.exec(this.#text.slice(this.#at))!
    this.#at += number.length
    if (/^[+-]?\d+$/.test(number)) this.#nodes.push({ kind: 'literal', value: Number(number) })
    else if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(number)) this.#nodes.push({ kind: 'literal', value: Number(number), isFloat: true })
    else throw new Error(`cannot parse number ${number}`)
  }

  #parseQuote(quote: string): void {
    const start = this.#at++
    for (; this.#text[this.#at] !== quote || this.#text[this.#at - 1] === '\\'; this.#at++) {
      if (this.#at >= this.#text.length || this.#text[this.#at] === '\n') throw new Error('unterminated quoted string')
    }
    this.#at++
    this.#nodes.push({ kind: 'literal', value: unquote(this.#text.slice(start + 1, this.#at - 1)) })
  }

  #parseArray(): void {
    const end = this.#text.indexOf(']', this.#at)
    const inner = end < 0 ? '\n' : this.#text.slice(this.#at + 1, end)
    if (inner.includes('\n')) throw new Error('unterminated array')
    this.#at = end + 1
    const members = inner.split(',')
    if (members.length > 1) {
      this.#nodes.push({ kind: 'union', paths: members.map((member) => parseJsonPath(`[${trim(member, ' ')}]`)) })
      return
    }
    const [, key] = /^'([^']*)'$/.exec(inner) ?? []
    if (key !== undefined) appendAll(this.#nodes, parseJsonPath(`.${key}`))
    else this.#nodes.push(parseSlice(inner === '*' ? ':' : inner))
  }

  #parseFilter(): void {
    const start = (this.#at += 3)
    const end = this.#endOfFilter()
    if (this.#text[end + 1] !== ']') throw new Error('unclosed array expect ]')
    this.#at = end + 2
    const text = this.#text.slice(start, end)
    const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)(.+?)$/s.exec(text) ?? []
    this.#nodes.push(
      left === undefined
        ? { kind: 'filter', left: parseJsonPath(text), right: [], operator: 'exists' }
        : { kind: 'filter', left: parseJsonPath(left), right: parseJsonPath(right!), operator: operator! },
    )
  }

  /** Returns the position of the ")" that ends the filter. A ")" within quotes does not. */
  #endOfFilter(): number {
    let quote = ''
    let isClosed = false
    for (let at = this.#at; at < this.#text.length && this.#text[at] !== '\n'; at++) {
      const c = this.#text[at]!
      if ((c === '"' || c === "'") && quote === '') quote = c
      else if (c === quote && this.#text[at - 1] !== '\\') isClosed = true
      else if (c === ')' && (quote !== '') === isClosed) return at
    }
    throw new Error('unterminated filter')
  }
}

function parseSlice(text: string): PathNode {
  const [, start, end, step] = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text) ?? []
  if (start === undefined) throw new Error(`invalid array index ${text}`)
  const findIndex = (part: string): number => {
    if (!/^-?\d+$/.test(part)) throw new Error(`array index ${part} is not a number`)
    return Number(part)
  }
  const parseOptional = (part: string | undefined): number | undefined =>
    part === undefined || part === ':' ? undefined : findIndex(part.slice(1))
  return {
    kind: 'slice',
    start: start === '' ? 0 : findIndex(start),
    end: end === undefined ? 'single' : (parseOptional(end) ?? 'end'),
    step: parseOptional(step),
  }
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
}

function unquote(text: string): string {
  return text.replaceAll(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.?))/gs, (_, byte?: string, code?: string, letter?: string) => {
    const hex = byte ?? code
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    const escaped = escapes[letter ?? '']
    if (escaped === undefined) throw new Error(`unquote string ${text} error invalid syntax`)
    return escaped
  })
}

function isDigit(c: string): boolean {
  return c >= '0' && c <= '9'
}

function isWordCharacter(c: string): boolean {
  return c === '_' || /^[\p{L}\p{Nd}]$/u.test(c)
}
