import type { Issues } from '../issues.ts'
import { wholeExpression } from '../source.ts'
import type { GrammarState } from './grammar-state.ts'
import { states } from './grammar-state.ts'
import { Lexer } from './lexer.ts'
import { formatTokenSet } from './token.ts'
import type { Token, TokenName } from './token.ts'

const maxDepth = 250
const maxRecoveries = 30
const maxSkipped = 256
const maxSyntaxErrors = 100

/** Initial nesting depth of each grammar rule. */
const noRules = {
  primary: 0,
  listInit: 0,
  mapInitializerList: 0,
  fieldInitializerList: 0,
  optField: 0,
  optExpr: 0,
  exprList: 0,
  escapeIdent: 0,
  literal: 0,
  expr: 0,
  or: 0,
  and: 0,
  relation: 0,
  calc: 0,
  unary: 0,
  member: 0,
}

export type Rule = keyof typeof noRules

/** Thrown if the current grammar rule cannot continue. The rule catches it itself and starts the recovery. */
class RuleFailure extends Error {
  readonly at: Token

  constructor(message: string, at: Token) {
    super(message)
    this.at = at
  }
}

/** Thrown to stop parsing after too many errors or too deep nesting. */
export class ParsingAborted extends Error {}

/**
 * Base class of the parser. It reproduces the messages and error recovery of an ANTLR 4 parser, which drops one extra token, inserts one
 * missing token, or skips tokens until an active rule can continue.
 */
export abstract class RecoveringParser {
  protected readonly issues: Issues
  readonly #lexer: Lexer
  /** All tokens that the lexer has produced. Consumed tokens stay, because dropping them with `shift()` takes quadratic time in V8. */
  readonly #tokens: Token[] = []
  /** States in which the callers of the active rules continue, innermost last. */
  readonly #follows: GrammarState[] = []
  readonly #depths: Record<Rule, number> = { ...noRules }
  readonly #lastErrorStates = new Set<GrammarState>()
  #last: Token | undefined
  /** The number of consumed tokens. */
  #consumed = 0
  #lastErrorAt = -1
  #state: GrammarState = states.end
  #recovering = false
  #recoveries = 0
  #errors = 0

  constructor(issues: Issues) {
    this.issues = issues
    this.#lexer = new Lexer(issues.source.text, (offset, message) => this.#syntaxError(offset, message))
  }

  protected get token(): Token {
    return this.peek(1)
  }

  /** Returns the nth token ahead, from 1. */
  protected peek(n: number): Token {
    const index = this.#consumed + n - 1
    while (this.#tokens.length <= index) {
      const end = this.#tokens.at(-1)
      this.#tokens.push(end?.name === '<EOF>' ? end : this.#lexer.next())
    }
    return this.#tokens[index]!
  }

  /** Enters a rule. Its caller continues in the state `follow`. Rules are not passed as closures, because that would triple the stack use. */
  protected enter(rule: Rule, follow: GrammarState): void {
    if (++this.#depths[rule] > maxDepth) this.#abandon(`expression recursion limit exceeded: ${maxDepth}`)
    this.#follows.push(follow)
  }

  protected exit(rule: Rule): void {
    this.#follows.pop()
    this.#depths[rule]--
  }

  /** Handles the failure of a rule: reports it and skips tokens until an active rule can continue. Rethrows other errors. */
  protected recoverFrom(error: unknown): void {
    if (!(error instanceof RuleFailure)) throw error
    this.#reportOnce(error.at, error.message)
    this.#recover()
  }

  /** Synchronizes the parser before an alternative. Drops an unexpected token if the next token fits. */
  protected sync(state: GrammarState): void {
    this.#state = state
    if (this.#recovering || state.expects.has(this.token.name)) return
    if (!this.#leavesOutToken()) this.#mismatch()
  }

  /** Synchronizes the parser before each iteration of a loop in the grammar. */
  protected syncLoop(state: GrammarState): void {
    this.#state = state
    if (this.#recovering || state.expects.has(this.token.name)) return
    this.#reportUnwanted()
    this.#skipTo(new Set([...this.#expected(), ...this.#recoverySet()]), Infinity)
  }

  /** Consumes the only token allowed in `state`. The next state is `next`. */
  protected match(name: TokenName, state: GrammarState, next: GrammarState): Token {
    this.#state = state
    if (this.token.name === name) return this.take()
    this.#countRecovery()
    if (this.#leavesOutToken()) return this.take()
    if (this.#expected(next).has(this.token.name)) {
      this.#reportOnce(this.token, `missing ${formatTokenSet(this.#expected())} at ${formatToken(this.token)}`)
      const at = this.token.name === '<EOF>' ? (this.#last ?? this.token) : this.token
      return { name, text: `<missing ${name}>`, start: at.start }
    }
    return this.#mismatch()
  }

  /** Consumes the current token, which is known to match. */
  protected take(): Token {
    this.#recovered()
    return this.#consume()
  }

  /** Throws if no alternative matches the next n tokens. */
  protected noChoice(n: number, state: GrammarState): never {
    this.#state = state
    const [first, last] = [this.token, this.peek(n)]
    const text = first.name === '<EOF>' ? '<EOF>' : this.#getText(n)
    const reserved = /^.(true|false|null)$/su.exec(text)
    const message = `no viable alternative at input ${quoteToken(text)}`
    throw new RuleFailure(reserved === null ? message : `mismatched input '${reserved[1]}' expecting IDENTIFIER`, last)
  }

  #getText(n: number): string {
    const last = this.peek(n)
    const end = last.name === '<EOF>' ? last.start : last.start + last.text.length
    return this.#lexer.textBetween(this.token.start, end)
  }

  #consume(): Token {
    const token = this.token
    if (token.name !== '<EOF>') {
      this.#consumed++
      this.#last = token
      this.peek(1)
    }
    return token
  }

  #recovered(): void {
    this.#recovering = false
    this.#lastErrorStates.clear()
    this.#lastErrorAt = -1
  }

  #leavesOutToken(): boolean {
    if (!this.#expected().has(this.peek(2).name)) return false
    this.#reportUnwanted()
    this.#consume()
    this.#recovered()
    return true
  }

  #mismatch(): never {
    throw new RuleFailure(`mismatched input ${formatToken(this.token)} expecting ${formatTokenSet(this.#expected())}`, this.token)
  }

  #reportUnwanted(): void {
    this.#reportOnce(this.token, `extraneous input ${formatToken(this.token)} expecting ${formatTokenSet(this.#expected())}`)
  }

  /** Reports a syntax error. Further errors are suppressed until a token matches. */
  #reportOnce(at: Token, message: string): void {
    if (this.#recovering) return
    this.#recovering = true
    this.#syntaxError(at.start, message)
  }

  #syntaxError(offset: number, message: string): void {
    if (this.#errors++ >= maxSyntaxErrors) {
      this.issues.report(offset, `Syntax error: More than ${maxSyntaxErrors} syntax errors`)
      throw new ParsingAborted()
    }
    this.issues.report(offset, `Syntax error: ${message}`)
  }

  #recover(): void {
    this.#countRecovery()
    // Skips a token if recovery at this position has already failed, because the parser would otherwise loop forever.
    const stuck = this.#lastErrorAt === this.#consumed && this.#lastErrorStates.has(this.#state)
    if (stuck) this.#consume()
    this.#lastErrorAt = this.#consumed
    this.#lastErrorStates.add(this.#state)
    this.#skipTo(this.#recoverySet(), stuck ? maxSkipped - 1 : maxSkipped)
  }

  #countRecovery(): void {
    if (this.#recoveries === maxRecoveries) {
      this.#syntaxError(this.token.start, `error recovery attempt limit exceeded: ${maxRecoveries}`)
      throw new ParsingAborted()
    }
    this.#recoveries++
  }

  #skipTo(names: ReadonlySet<TokenName>, limit: number): void {
    for (let skipped = 0; this.token.name !== '<EOF>' && !names.has(this.token.name); skipped++) {
      if (skipped >= limit) this.#abandon(`error recovery token lookahead limit exceeded: ${maxSkipped}`)
      this.#consume()
    }
  }

  #abandon(message: string): never {
    this.issues.report(wholeExpression, message)
    throw new ParsingAborted()
  }

  #expected(from: GrammarState = this.#state): ReadonlySet<TokenName> {
    const names = new Set(from.expects)
    let state = from
    for (let i = this.#follows.length - 1; state.ends && i >= 0; i--) {
      state = this.#follows[i]!
      for (const name of state.expects) names.add(name)
    }
    if (state.ends) names.add('<EOF>')
    return names
  }

  #recoverySet(): Set<TokenName> {
    return new Set(this.#follows.flatMap(({ expects }) => [...expects]))
  }
}

function formatToken({ text }: Token): string {
  return quoteToken(text)
}

function quoteToken(text: string): string {
  return `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
}
