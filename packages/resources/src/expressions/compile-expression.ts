import { isExpressionName } from './names.ts'
import { ExpressionError, tokensOf } from './tokens.ts'
import type { Problem, Token } from './tokens.ts'

const maxDepth = 250
/** Names of types, and of what functions are grouped under. */
const globalNames: ReadonlySet<string> = new Set(
  'bool bytes double duration int list map null_type string timestamp type uint dyn optional google math sets strings base64 cel ip cidr quantity semver format url net'.split(
    ' ',
  ),
)
/** Macros, by how many names they bind: `list.all(x, …)`, `map.transformList(k, v, …)`. */
const macros: ReadonlyMap<string, readonly number[]> = new Map([
  ['all', [1, 2]],
  ['exists', [1, 2]],
  ['exists_one', [1, 2]],
  ['existsOne', [1, 2]],
  ['filter', [1]],
  ['map', [1]],
  ['sortBy', [1]],
  ['bind', [1]],
  ['optMap', [1]],
  ['optFlatMap', [1]],
  ['transformList', [2]],
  ['transformMap', [2]],
  ['transformMapEntry', [2]],
])
const maxArguments: ReadonlyMap<string, number> = new Map([
  ['all', 2],
  ['exists', 2],
  ['exists_one', 2],
  ['existsOne', 2],
])

/**
 * What is wrong with an expression of the Common Expression Language, in the original's words where it has a word for it; undefined when nothing is.
 * Looked at are its syntax and the names that it speaks of: `variables`, and what macros bind. Types are not.
 */
export function compileExpression(text: string, variables: readonly string[]): string | undefined {
  try {
    const unknown = new Parser(tokensOf(text), new Set(variables)).parse()
    return unknown.length === 0 ? undefined : unknown.map((problem) => report(text, problem)).join('\n')
  } catch (error) {
    if (error instanceof ExpressionError) return report(text, error)
    throw error
  }
}

function report(text: string, { message, at }: Problem): string {
  return `ERROR: <input>:${place(text, at)}: ${message}\n${picture(text, at)}`
}

function place(text: string, at: number): string {
  const before = text.slice(0, at).split('\n')
  return `${before.length}:${before.at(-1)!.length + 1}`
}

/** The line, and an arrow below the place. */
function picture(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const line = text.slice(start).split('\n', 1)[0]!
  return ` | ${line}\n | ${'.'.repeat(at - start)}^`
}

/** Recursive descent by the language's grammar; a level of binary operators is a call of `#binary`. */
class Parser {
  readonly #tokens: readonly Token[]
  readonly #names: ReadonlySet<string>
  readonly #bound: string[] = []
  readonly #unknown: Problem[] = []
  #next = 0
  #depth = 0

  constructor(tokens: readonly Token[], names: ReadonlySet<string>) {
    this.#tokens = tokens
    this.#names = names
  }

  /** The names that nobody knows. Throws for what is no expression. */
  parse(): readonly Problem[] {
    this.#expression()
    const { kind, text, at } = this.#token
    if (kind !== 'end') throw new ExpressionError(`Syntax error: mismatched input '${text}' expecting <EOF>`, at)
    return this.#unknown
  }

  get #token(): Token {
    return this.#tokens[this.#next]!
  }

  #fail(token: Token = this.#token): never {
    throw new ExpressionError(`Syntax error: mismatched input '${token.text}'`, token.at)
  }

  /** Whether the next token is one of these, which is then taken. */
  #take(...texts: readonly string[]): boolean {
    const { kind, text } = this.#token
    if (kind === 'string' || !texts.includes(text)) return false
    this.#next++
    return true
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#fail()
  }

  #expression(): void {
    if (++this.#depth > maxDepth) throw new ExpressionError('expression recursion limit exceeded: 250', this.#token.at)
    this.#binary(0)
    if (this.#take('?')) {
      this.#binary(0)
      this.#expect(':')
      this.#expression()
    }
    this.#depth--
  }

  #binary(level: number): void {
    const operators = levels[level]
    if (operators === undefined) return this.#unary()
    this.#binary(level + 1)
    while (this.#take(...operators)) this.#binary(level + 1)
  }

  #unary(): void {
    while (this.#take('!', '-'));
    this.#primary()
    for (;;) {
      if (this.#take('.', '.?')) this.#member()
      else if (this.#take('[', '[?')) {
        this.#expression()
        this.#expect(']')
      } else return
    }
  }

  #member(): void {
    const { kind, text } = this.#token
    const quoted = kind === 'symbol' && text.startsWith('`')
    if (kind !== 'name' && !quoted) this.#fail()
    this.#next++
    if (this.#take('(')) this.#arguments(text)
    else if (this.#token.text === '{') this.#message()
  }

  #primary(): void {
    const token = this.#token
    if (token.kind === 'string' || token.kind === 'number') this.#next++
    else if (this.#take('(')) {
      this.#expression()
      this.#expect(')')
    } else if (this.#take('[')) this.#list(']')
    else if (this.#take('{')) this.#map()
    else if (this.#take('.') || token.kind === 'name') this.#name()
    else this.#fail()
  }

  #name(): void {
    const token = this.#token
    const { text } = token
    if (token.kind !== 'name') this.#fail()
    this.#next++
    if (['true', 'false', 'null'].includes(text)) return
    if (!isExpressionName(text)) this.#fail(token)
    if (this.#take('(')) return this.#arguments(text)
    if (!this.#names.has(text) && !this.#bound.includes(text) && !globalNames.has(text)) {
      this.#unknown.push({ message: `undeclared reference to '${text}' (in container '')`, at: token.at })
    }
    if (this.#token.text === '{') this.#message()
  }

  /** Behind the bracket. A macro's names are known in what follows them. */
  #arguments(called: string): void {
    const count = this.#boundNames(called)
    for (let i = 0; i < count; i++) {
      this.#bound.push(this.#token.text)
      this.#next += 2
    }
    this.#list(')')
    this.#bound.length -= count
  }

  /** How many of a call's first arguments are names that it binds. */
  #boundNames(called: string): number {
    const counts = macros.get(called) ?? []
    const bare = (i: number): boolean => {
      const [name, comma] = [this.#tokens[this.#next + 2 * i], this.#tokens[this.#next + 2 * i + 1]]
      return name?.kind === 'name' && isExpressionName(name.text) && comma?.text === ','
    }
    const most = Math.max(0, ...counts)
    let found = 0
    while (found < most && bare(found)) found++
    if (found === 2 && maxArguments.has(called) && !this.#hasThirdArgument()) found = 1
    return counts.includes(found) ? found : 0
  }

  /** `list.all(i, v, test)` binds two names, `list.all(x, test)` one. */
  #hasThirdArgument(): boolean {
    let depth = 0
    let commas = 0
    for (let i = this.#next; i < this.#tokens.length; i++) {
      const { kind, text } = this.#tokens[i]!
      if (kind !== 'symbol') continue
      if ('([{[?'.includes(text)) depth++
      else if (')]}'.includes(text) && depth-- === 0) break
      else if (text === ',' && depth === 0) commas++
    }
    return commas >= 2
  }

  /** To the closing bracket; a list's items may be optional. */
  #list(end: string): void {
    while (!this.#take(end)) {
      if (end === ']') this.#take('?')
      this.#expression()
      if (this.#take(end)) return
      this.#expect(',')
      if (end === ')' && this.#token.text === ')') this.#fail()
    }
  }

  #map(): void {
    while (!this.#take('}')) {
      this.#take('?')
      this.#expression()
      this.#expect(':')
      this.#expression()
      if (!this.#take(',') && this.#token.text !== '}') this.#fail()
    }
  }

  /** `Object.spec{replicas: 1}`. */
  #message(): void {
    this.#expect('{')
    while (!this.#take('}')) {
      this.#take('?')
      const { kind, text } = this.#token
      if (kind !== 'name' && !text.startsWith('`')) this.#fail()
      this.#next++
      this.#expect(':')
      this.#expression()
      if (!this.#take(',') && this.#token.text !== '}') this.#fail()
    }
  }
}

/** Operators, those that bind least first. */
const levels: readonly (readonly string[])[] = [['||'], ['&&'], ['<', '<=', '>', '>=', '==', '!=', 'in'], ['+', '-'], ['*', '/', '%']]
