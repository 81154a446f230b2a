import type { ApiError } from './api-error.ts'
import { newBadRequest } from './api-errors.ts'
import { aggregateFieldErrors } from './field-error.ts'
import type { FieldErrorList, FieldPath } from './field-error.ts'
import { binaryOperators, checkKey, checkRequirement } from './label-requirement.ts'
import type { LabelOperator, LabelRequirement } from './label-requirement.ts'

/**
 * Parses a label selector, which is a comma-separated list of requirements:
 *
 *     requirement = [ "!" ] KEY
 *                 | KEY ( "=" | "==" | "!=" | ">" | "<" ) [ VALUE ]
 *                 | KEY ( "in" | "notin" ) "(" VALUE { "," VALUE } ")"
 *
 * VALUE may be empty. `in` and `notin` are also valid keys and values.
 */
export function parseRequirements(text: string, path?: FieldPath): LabelRequirement[] {
  return new Parser(scan(text), path).parse()
}

type TokenKind = 'error' | 'end' | 'identifier' | 'in' | 'notin' | ')' | ',' | '!' | '==' | '=' | '>' | '<' | '!=' | '('
interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const symbolTokens: ReadonlySet<string> = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '('])
const isSpace = (char: string): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n'
const isSymbol = (char: string): boolean => '=!(),><'.includes(char)

/** Splits a selector into tokens. A NUL character ends the text, as in upstream. */
function scan(source: string): Token[] {
  const zero = source.indexOf('\0')
  const text = zero < 0 ? source : source.slice(0, zero)
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const char = text[at]!
    if (isSpace(char)) {
      at++
      continue
    }
    const start = at
    if (isSymbol(char)) {
      // Operators are matched greedily: two characters if they form an operator, otherwise one. Every symbol is an operator.
      at += symbolTokens.has(text.slice(at, at + 2)) ? 2 : 1
      const symbol = text.slice(start, at)
      tokens.push({ kind: symbol as TokenKind, text: symbol })
      continue
    }
    while (at < text.length && !isSpace(text[at]!) && !isSymbol(text[at]!)) at++
    const word = text.slice(start, at)
    tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word })
  }
  tokens.push({ kind: 'end', text: '' })
  return tokens
}

class Parser {
  readonly #tokens: readonly Token[]
  readonly #path: FieldPath | undefined
  #at = 0

  constructor(tokens: readonly Token[], path: FieldPath | undefined) {
    this.#tokens = tokens
    this.#path = path
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    for (;;) {
      const next = this.#peek()
      if (next.kind === 'end') return requirements
      if (next.kind !== 'identifier' && next.kind !== '!') throw createUnexpectedError(next, "!, identifier, or 'end of string'")
      requirements.push(this.#readRequirement())
      const separator = this.#take()
      if (separator.kind === 'end') return requirements
      if (separator.kind !== ',') throw createUnexpectedError(separator, "',' or 'end of string'")
      const after = this.#peek()
      if (after.kind !== 'identifier' && after.kind !== '!') throw createUnexpectedError(after, "identifier after ','")
    }
  }

  /** Returns the next token where a key or value is expected. There, `in` and `notin` are ordinary words. */
  #peek(): Token {
    const token = this.#tokens[this.#at]!
    return token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token
  }

  #take(): Token {
    const token = this.#peek()
    this.#at++
    return token
  }

  #readRequirement(): LabelRequirement {
    let token = this.#take()
    const negated = token.kind === '!'
    if (negated) token = this.#take()
    if (token.kind !== 'identifier') throw createUnexpectedError(token, 'identifier', requirementPrefix)
    const key = token.text
    this.#refuse(checkKey(key, this.#path))
    const next = this.#peek().kind
    if (negated) return this.#checkRequirement({ key, operator: '!', values: [] })
    if (next === 'end' || next === ',') return this.#checkRequirement({ key, operator: 'exists', values: [] })
    const operator = this.#readOperator()
    const values = operator === 'in' || operator === 'notin' ? this.#readValueSet() : [this.#readValue()]
    return this.#checkRequirement({ key, operator, values: [...new Set(values)].sort() })
  }

  #readOperator(): LabelOperator {
    const token = this.#tokens[this.#at++]!
    switch (token.kind) {
      case '>':
        return 'gt'
      case '<':
        return 'lt'
      case 'in':
      case 'notin':
      case '=':
      case '==':
      case '!=':
        return token.kind
      default:
        throw createUnexpectedError(token, binaryOperators.join(', '), requirementPrefix)
    }
  }

  #readValue(): string {
    const next = this.#peek()
    if (next.kind === 'end' || next.kind === ',') return ''
    this.#at++
    if (next.kind !== 'identifier') throw createUnexpectedError(next, 'identifier', requirementPrefix)
    return next.text
  }

  #readValueSet(): string[] {
    const open = this.#take()
    if (open.kind !== '(') throw newBadRequest(`${requirementPrefix}found '${open.text}' expected: '('`)
    const first = this.#peek()
    if (first.kind === ')') {
      this.#at++
      return ['']
    }
    if (first.kind !== 'identifier' && first.kind !== ',') throw createUnexpectedError(first, "',', ')' or identifier", requirementPrefix)
    const values = this.#readValues()
    this.#at++ // the closing ")"
    return values
  }

  /**
   * Parses the values of `in` and `notin`, up to the closing parenthesis. Two adjacent commas, or a comma next to a parenthesis, enclose an empty
   * value.
   */
  #readValues(): string[] {
    const values: string[] = []
    for (;;) {
      const token = this.#take()
      const next = this.#peek()
      if (token.kind === 'identifier') {
        values.push(token.text)
        if (next.kind === ')') return values
        if (next.kind !== ',') throw createUnexpectedError(next, "',' or ')'", requirementPrefix)
      } else if (token.kind === ',') {
        if (values.length === 0 || next.kind === ',' || next.kind === ')') values.push('')
        if (next.kind === ')') return values
      } else {
        throw createUnexpectedError(token, "',', or identifier", requirementPrefix)
      }
    }
  }

  #checkRequirement(requirement: LabelRequirement): LabelRequirement {
    this.#refuse(checkRequirement(requirement, this.#path))
    return requirement
  }

  #refuse(errors: FieldErrorList): void {
    if (errors.length > 0) throw newBadRequest(requirementPrefix + aggregateFieldErrors(errors))
  }
}

const requirementPrefix = 'unable to parse requirement: '

function createUnexpectedError(token: Token, expected: string, prefix = ''): ApiError {
  return newBadRequest(`${prefix}found '${token.text}', expected: ${expected}`)
}
