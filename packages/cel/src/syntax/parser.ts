import { codePoints, wholeExpression } from '../source.ts'
import type { GrammarState } from './grammar-state.ts'
import { literalFirst, productOperators, relationOperators, startsExpression, startsName, states, sumOperators } from './grammar-state.ts'
import type { EntryTree, FieldTree, NameTree, OptionalTree, ParseTree } from './parse-tree.ts'
import { Abandoned, RecoveringParser } from './recovery.ts'
import type { Token, TokenName } from './token.ts'

const maxCodePoints = 100_000

/** The language's grammar, a method for each rule. https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax */
export class Parser extends RecoveringParser {
  /** Undefined when reading was given up; what is wrong is among the issues either way. */
  parse(): ParseTree | undefined {
    const size = codePoints(this.issues.source.text)
    if (size > maxCodePoints) {
      this.issues.report(wholeExpression, `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`)
      return undefined
    }
    try {
      return this.#start()
    } catch (error) {
      if (error instanceof Abandoned) return undefined
      throw error
    }
  }

  #start(): ParseTree {
    let tree: ParseTree | undefined
    try {
      tree = this.#expression(states.end)
      this.match('<EOF>', states.end, states.behindEnd)
    } catch (error) {
      this.recoverFrom(error)
    }
    return tree!
  }

  #is(...names: readonly TokenName[]): boolean {
    return names.includes(this.token.name)
  }

  #expression(follow: GrammarState): ParseTree {
    let tree = this.#broken()
    this.enter('expr', follow)
    try {
      tree = this.#logic("'||'", states.condition)
      if (!this.#is("'?'")) return tree
      const node: ParseTree & { kind: 'conditional' } = { kind: 'conditional', condition: tree, operator: this.take() }
      tree = node
      node.whenTrue = this.#logic("'||'", states.conditionColon)
      this.match("':'", states.conditionColon, states.otherwise)
      node.otherwise = this.#expression(states.otherwiseEnd)
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('expr')
    }
    return tree
  }

  #logic(operator: "'||'" | "'&&'", follow: GrammarState): ParseTree {
    let tree = this.#broken()
    const [name, own] = operator === "'||'" ? ['or', states.or] : ['and', states.and]
    const term = (): ParseTree => (operator === "'||'" ? this.#logic("'&&'", own) : this.#relation(0, own))
    this.enter(name, follow)
    try {
      tree = term()
      if (!this.#is(operator)) return tree
      const node: ParseTree & { kind: 'logic' } = {
        kind: 'logic',
        operator: operator === "'||'" ? '||' : '&&',
        terms: [tree],
        operators: [],
      }
      tree = node
      while (this.#is(operator)) {
        node.operators.push(this.take())
        node.terms.push(term())
      }
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit(name)
    }
    return tree
  }

  /** Operators that bind less than `precedence` are left to the caller. */
  #relation(precedence: number, follow: GrammarState): ParseTree {
    let tree = this.#broken()
    this.enter('relation', follow)
    try {
      tree = this.#calc(0, states.relation)
      while (precedence <= 1 && this.#is(...relationOperators)) {
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
    let tree = this.#broken()
    this.enter('calc', follow)
    try {
      tree = this.#unary(states.calc)
      for (;;) {
        const binds = this.#is(...productOperators) ? 2 : this.#is(...sumOperators) ? 1 : 0
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
      if (this.#is("'!'")) tree = this.#operators("'!'")
      else if (this.#is("'-'") && !this.#isNumber(2)) {
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

  #isNumber(n: number): boolean {
    const { name } = this.peek(n)
    return name === 'NUM_INT' || name === 'NUM_FLOAT'
  }

  #operators(operator: "'!'" | "'-'"): ParseTree {
    const node: ParseTree & { kind: 'unary' } = { kind: 'unary', operators: [this.take()], operand: this.#broken() }
    const loop = operator === "'!'" ? states.nots : states.minuses
    for (;;) {
      this.syncLoop(loop)
      if (!this.#is(operator)) break
      if (operator === "'-'" && this.peek(2).name !== "'-'" && !startsMember(this.peek(2))) this.noChoice(2, loop)
      node.operators.push(this.take())
    }
    node.operand = this.#member(states.unaryEnd)
    return node
  }

  #member(follow: GrammarState): ParseTree {
    let tree = this.#broken()
    this.enter('member', follow)
    try {
      tree = this.#primary(states.member)
      for (;;) {
        if (this.#is("'['")) {
          const node: ParseTree & { kind: 'index' } = {
            kind: 'index',
            operand: tree,
            open: this.take(),
            optional: false,
            index: this.#broken(),
          }
          tree = node
          this.#index(node)
        } else if (this.#is("'.'")) {
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
    if (this.#is("'?'")) {
      this.take()
      node.optional = true
    }
    node.index = this.#expression(states.indexClose)
    this.match("']'", states.indexClose, states.member)
  }

  /** `begin` is given the node before anything can go wrong in it. */
  #dotted(operand: ParseTree, begin: (node: ParseTree) => void): ParseTree {
    const next = this.peek(2)
    if (next.name !== "'?'" && !startsName.has(next.name)) this.noChoice(2, states.member)
    if (next.name === 'IDENTIFIER' && this.peek(3).name === "'('") {
      this.take()
      const name = this.take()
      const node: ParseTree & { kind: 'method' } = { kind: 'method', operand, name, open: this.take(), args: [] }
      begin(node)
      this.sync(states.memberArguments)
      if (startsExpression.has(this.token.name)) this.#arguments(node.args, states.memberArgumentsClose)
      this.match("')'", states.memberArgumentsClose, states.member)
      return node
    }
    const node: ParseTree & { kind: 'select' } = { kind: 'select', operand, dot: this.take(), optional: false }
    begin(node)
    this.sync(states.selected)
    if (this.#is("'?'")) {
      this.take()
      node.optional = true
    }
    node.name = this.#escapedName(states.member)
    return node
  }

  #primary(follow: GrammarState): ParseTree {
    let tree = this.#broken()
    const begin = (node: ParseTree): ParseTree => (tree = node)
    this.enter('primary', follow)
    try {
      this.sync(states.primary)
      if (this.#is('IDENTIFIER', "'.'")) this.#named(begin)
      else if (this.#is("'('")) {
        this.take()
        begin(this.#expression(states.nestedClose))
        this.match("')'", states.nestedClose, states.primaryEnd)
      } else if (this.#is("'['")) this.#list(begin)
      else if (this.#is("'{'")) this.#map(begin)
      else if (literalFirst.includes(this.token.name)) this.#literal(begin)
      else this.noChoice(1, states.primary)
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('primary')
    }
    return tree
  }

  #named(begin: (node: ParseTree) => void): void {
    const { start } = this.token
    const dot = this.#is("'.'")
    const at = dot ? 2 : 1
    if (this.peek(at).name !== 'IDENTIFIER') this.noChoice(at, states.primary)
    const names = this.#messageNames(at)
    if (dot) this.take()
    const name = this.take()
    if (names > 0) return this.#message(dot, name, names, begin)
    if (!this.#is("'('")) return begin({ kind: 'name', dot, name, start })
    const node: ParseTree & { kind: 'call' } = { kind: 'call', dot, name, start, open: this.take(), args: [] }
    begin(node)
    this.sync(states.arguments)
    if (startsExpression.has(this.token.name)) this.#arguments(node.args, states.argumentsClose)
    this.match("')'", states.argumentsClose, states.primaryEnd)
  }

  /** How many names, with dots between them, stand before a brace; 0 when no brace comes. */
  #messageNames(at: number): number {
    for (let i = at, names = 1; ; i += 2, names++) {
      const next = this.peek(i + 1).name
      if (next === "'{'") return names
      if (next !== "'.'" || this.peek(i + 2).name !== 'IDENTIFIER') return 0
    }
  }

  #message(dot: boolean, first: Token, count: number, begin: (node: ParseTree) => void): void {
    const names = [first]
    while (names.length < count) {
      this.take()
      names.push(this.take())
    }
    const node: ParseTree & { kind: 'message' } = {
      kind: 'message',
      dot,
      names,
      open: this.take(),
      fields: [],
      fieldsStart: this.token.start,
    }
    begin(node)
    this.sync(states.message)
    if (this.#is("'?'") || startsName.has(this.token.name)) {
      node.fieldsStart = this.token.start
      this.#fields(node.fields)
    }
    this.#close("'}'", states.messageComma, states.messageClose)
  }

  /** A comma may stand before what closes. */
  #close(name: TokenName, comma: GrammarState, close: GrammarState): void {
    this.sync(comma)
    if (this.#is("','")) this.take()
    this.match(name, close, states.primaryEnd)
  }

  #list(begin: (node: ParseTree) => void): void {
    const node: ParseTree & { kind: 'list' } = { kind: 'list', open: this.take(), elements: [] }
    begin(node)
    this.sync(states.list)
    if (this.#is("'?'") || startsExpression.has(this.token.name)) {
      this.enter('listInit', states.listComma)
      try {
        do node.elements.push(this.#optional(states.elementsComma))
        while (this.#goesOn())
      } catch (error) {
        this.recoverFrom(error)
      } finally {
        this.exit('listInit')
      }
    }
    this.#close("']'", states.listComma, states.listClose)
  }

  /** Takes a comma behind which another element begins. */
  #goesOn(): boolean {
    const next = this.peek(2).name
    if (!this.#is("','") || (next !== "'?'" && !startsExpression.has(next))) return false
    this.take()
    return true
  }

  #map(begin: (node: ParseTree) => void): void {
    const node: ParseTree & { kind: 'map' } = { kind: 'map', open: this.take(), entries: [] }
    begin(node)
    this.sync(states.map)
    if (this.#is("'?'") || startsExpression.has(this.token.name)) {
      this.enter('mapInitializerList', states.mapComma)
      try {
        do {
          const entry: EntryTree = { key: this.#optional(states.entryColon) }
          node.entries.push(entry)
          entry.colon = this.match("':'", states.entryColon, states.entryValue)
          entry.value = this.#expression(states.entriesComma)
        } while (this.#goesOn())
      } catch (error) {
        this.recoverFrom(error)
      } finally {
        this.exit('mapInitializerList')
      }
    }
    this.#close("'}'", states.mapComma, states.mapClose)
  }

  #fields(fields: FieldTree[]): void {
    this.enter('fieldInitializerList', states.messageComma)
    try {
      for (;;) {
        const field: FieldTree = this.#field(states.fieldColon)
        fields.push(field)
        field.colon = this.match("':'", states.fieldColon, states.fieldValue)
        field.value = this.#expression(states.fieldsComma)
        const next = this.peek(2).name
        if (!this.#is("','") || (next !== "'?'" && !startsName.has(next))) return
        this.take()
      }
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('fieldInitializerList')
    }
  }

  #field(follow: GrammarState): FieldTree {
    let optional = false
    let name: NameTree = { start: this.token.start, token: undefined }
    this.enter('optField', follow)
    try {
      this.sync(states.field)
      if (this.#is("'?'")) {
        this.take()
        optional = true
      }
      name = this.#escapedName(states.fieldEnd)
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('optField')
    }
    return { name, optional }
  }

  #optional(follow: GrammarState): OptionalTree {
    const node: OptionalTree = { optional: false, value: this.#broken() }
    this.enter('optExpr', follow)
    try {
      this.sync(states.optional)
      if (this.#is("'?'")) {
        this.take()
        node.optional = true
      }
      node.value = this.#expression(states.optionalEnd)
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('optExpr')
    }
    return node
  }

  #arguments(args: ParseTree[], follow: GrammarState): void {
    this.enter('exprList', follow)
    try {
      args.push(this.#expression(states.argumentsComma))
      while (this.#is("','")) {
        this.take()
        args.push(this.#expression(states.argumentsComma))
      }
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('exprList')
    }
  }

  #escapedName(follow: GrammarState): NameTree {
    const { start } = this.token
    let token: Token | undefined
    this.enter('escapeIdent', follow)
    try {
      this.sync(states.name)
      if (!startsName.has(this.token.name)) this.noChoice(1, states.name)
      token = this.take()
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('escapeIdent')
    }
    return { start, token }
  }

  #literal(begin: (node: ParseTree) => void): void {
    this.enter('literal', states.primaryEnd)
    try {
      const { start } = this.token
      const negative = this.#is("'-'")
      if (negative) {
        if (!this.#isNumber(2)) this.noChoice(2, states.literal)
        this.take()
      }
      begin({ kind: 'literal', negative, token: this.take(), start })
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('literal')
    }
  }

  #broken(): ParseTree {
    return { kind: 'broken', start: this.token.start }
  }
}

function startsMember({ name }: Token): boolean {
  return startsExpression.has(name) && name !== "'!'"
}
