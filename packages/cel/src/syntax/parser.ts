import { countCodePoints, wholeExpression } from '../source.ts'
import type { GrammarState } from './grammar-state.ts'
import { productOperators, relationOperators, startsExpression, startsName, states, sumOperators } from './grammar-state.ts'
import { OperandParser } from './operand-parser.ts'
import type { ParseTree } from './parse-tree.ts'
import { ParsingAborted } from './recovery.ts'
import type { Token } from './token.ts'

const maxCodePoints = 100_000

/** Parser of operators and member access. https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax */
export class Parser extends OperandParser {
  /** Parses the expression and adds errors to the issues. Returns undefined if parsing was aborted. */
  parse(): ParseTree | undefined {
    const size = countCodePoints(this.issues.source.text)
    if (size > maxCodePoints) {
      this.issues.report(wholeExpression, `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`)
      return undefined
    }
    try {
      return this.#start()
    } catch (error) {
      if (error instanceof ParsingAborted) return undefined
      throw error
    }
  }

  #start(): ParseTree {
    let tree: ParseTree | undefined
    try {
      tree = this.expression(states.end)
      this.match('<EOF>', states.end, states.behindEnd)
    } catch (error) {
      this.recoverFrom(error)
    }
    return tree!
  }

  protected expression(follow: GrammarState): ParseTree {
    let tree = this.broken()
    this.enter('expr', follow)
    try {
      tree = this.#logic("'||'", states.condition)
      if (!this.is("'?'")) return tree
      const node: ParseTree & { kind: 'conditional' } = { kind: 'conditional', condition: tree, operator: this.take() }
      tree = node
      node.whenTrue = this.#logic("'||'", states.conditionColon)
      this.match("':'", states.conditionColon, states.otherwise)
      node.otherwise = this.expression(states.otherwiseEnd)
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('expr')
    }
    return tree
  }

  #logic(operator: "'||'" | "'&&'", follow: GrammarState): ParseTree {
    let tree = this.broken()
    const [name, state] = operator === "'||'" ? (['or', states.or] as const) : (['and', states.and] as const)
    const parseTerm = (): ParseTree => (operator === "'||'" ? this.#logic("'&&'", state) : this.#relation(0, state))
    this.enter(name, follow)
    try {
      tree = parseTerm()
      if (!this.is(operator)) return tree
      const node: ParseTree & { kind: 'logic' } = {
        kind: 'logic',
        operator: operator === "'||'" ? '||' : '&&',
        terms: [tree],
        operators: [],
      }
      tree = node
      while (this.is(operator)) {
        node.operators.push(this.take())
        node.terms.push(parseTerm())
      }
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit(name)
    }
    return tree
  }

  /** Parses binary operators of at least this precedence. The caller parses those of lower precedence. */
  #relation(precedence: number, follow: GrammarState): ParseTree {
    let tree = this.broken()
    this.enter('relation', follow)
    try {
      tree = this.#calc(0, states.relation)
      while (precedence <= 1 && this.isOneOf(relationOperators)) {
        const operator = this.take()
        tree = { kind: 'binary', operator, left: tree, right: this.#relation(2, states.relation) }
      }
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('relation')
    }
    return tree
  }

  #calc(precedence: number, follow: GrammarState): ParseTree {
    let tree = this.broken()
    this.enter('calc', follow)
    try {
      tree = this.#unary(states.calc)
      for (;;) {
        const binds = this.isOneOf(productOperators) ? 2 : this.isOneOf(sumOperators) ? 1 : 0
        if (binds === 0 || binds < precedence) return tree
        const operator = this.take()
        tree = { kind: 'binary', operator, left: tree, right: this.#calc(binds + 1, states.calc) }
      }
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('calc')
    }
    return tree
  }

  #unary(follow: GrammarState): ParseTree {
    let tree: ParseTree = { kind: 'broken', expected: 'operand', start: this.token.start }
    this.enter('unary', follow)
    try {
      this.sync(states.unary)
      if (this.is("'!'")) tree = this.#operators("'!'")
      else if (this.is("'-'") && !this.isNumber(2)) {
        if (this.peek(2).name !== "'-'" && !startsMember(this.peek(2))) this.noChoice(2, states.unary)
        tree = this.#operators("'-'")
      } else if (startsMember(this.token)) tree = this.#member(states.unaryEnd)
      else this.noChoice(1, states.unary)
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('unary')
    }
    return tree
  }

  #operators(operator: "'!'" | "'-'"): ParseTree {
    const node: ParseTree & { kind: 'unary' } = { kind: 'unary', operators: [this.take()], operand: this.broken() }
    const loop = operator === "'!'" ? states.nots : states.minuses
    for (;;) {
      this.syncLoop(loop)
      if (!this.is(operator)) break
      if (operator === "'-'" && this.peek(2).name !== "'-'" && !startsMember(this.peek(2))) this.noChoice(2, loop)
      node.operators.push(this.take())
    }
    node.operand = this.#member(states.unaryEnd)
    return node
  }

  #member(follow: GrammarState): ParseTree {
    let tree = this.broken()
    this.enter('member', follow)
    try {
      tree = this.primary(states.member)
      for (;;) {
        if (this.is("'['")) {
          const node: ParseTree & { kind: 'index' } = {
            kind: 'index',
            operand: tree,
            open: this.take(),
            optional: false,
            index: this.broken(),
          }
          tree = node
          this.#index(node)
        } else if (this.is("'.'")) {
          tree = this.#dotted(tree, (node) => (tree = node))
        } else return tree
      }
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('member')
    }
    return tree
  }

  #index(node: ParseTree & { kind: 'index' }): void {
    this.sync(states.index)
    if (this.is("'?'")) {
      this.take()
      node.optional = true
    }
    node.index = this.expression(states.indexClose)
    this.match("']'", states.indexClose, states.member)
  }

  /** Parses a member access or call after a dot. Calls `begin` with the node before any error can occur in it. */
  #dotted(operand: ParseTree, begin: (node: ParseTree) => void): ParseTree {
    const next = this.peek(2)
    if (next.name !== "'?'" && !startsName.has(next.name)) this.noChoice(2, states.member)
    if (next.name === 'IDENTIFIER' && this.peek(3).name === "'('") {
      this.take()
      const name = this.take()
      const node: ParseTree & { kind: 'method' } = { kind: 'method', operand, name, open: this.take(), args: [] }
      begin(node)
      this.sync(states.memberArguments)
      if (startsExpression.has(this.token.name)) this.arguments(node.args, states.memberArgumentsClose)
      this.match("')'", states.memberArgumentsClose, states.member)
      return node
    }
    const node: ParseTree & { kind: 'select' } = { kind: 'select', operand, dot: this.take(), optional: false }
    begin(node)
    this.sync(states.selected)
    if (this.is("'?'")) {
      this.take()
      node.optional = true
    }
    node.name = this.escapedName(states.member)
    return node
  }
}

function startsMember({ name }: Token): boolean {
  return startsExpression.has(name) && name !== "'!'"
}
