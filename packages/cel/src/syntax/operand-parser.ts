import type { GrammarState } from './grammar-state.ts'
import { literalFirst, startsExpression, startsName, states } from './grammar-state.ts'
import type { EntryTree, FieldTree, NameTree, OptionalTree, ParseTree } from './parse-tree.ts'
import { RecoveringParser } from './recovery.ts'
import type { Token, TokenName } from './token.ts'

/** Parser of operands: names, calls, constants, lists, maps and messages. */
export abstract class OperandParser extends RecoveringParser {
  protected abstract expression(follow: GrammarState): ParseTree

  protected is(name: TokenName): boolean {
    return this.token.name === name
  }

  protected isOneOf(names: ReadonlySet<TokenName>): boolean {
    return names.has(this.token.name)
  }

  protected isNumber(n: number): boolean {
    const { name } = this.peek(n)
    return name === 'NUM_INT' || name === 'NUM_FLOAT'
  }

  protected primary(follow: GrammarState): ParseTree {
    let tree = this.broken()
    const begin = (node: ParseTree): ParseTree => (tree = node)
    this.enter('primary', follow)
    try {
      this.sync(states.primary)
      if (this.is('IDENTIFIER') || this.is("'.'")) this.#named(begin)
      else if (this.is("'('")) {
        this.take()
        begin(this.expression(states.nestedClose))
        this.match("')'", states.nestedClose, states.primaryEnd)
      } else if (this.is("'['")) this.#list(begin)
      else if (this.is("'{'")) this.#map(begin)
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
    const dot = this.is("'.'")
    const at = dot ? 2 : 1
    if (this.peek(at).name !== 'IDENTIFIER') this.noChoice(at, states.primary)
    const names = this.#messageNames(at)
    if (dot) this.take()
    const name = this.take()
    if (names > 0) return this.#message(dot, name, names, begin)
    if (!this.is("'('")) return begin({ kind: 'name', dot, name, start })
    const node: ParseTree & { kind: 'call' } = { kind: 'call', dot, name, start, open: this.take(), args: [] }
    begin(node)
    this.sync(states.arguments)
    if (startsExpression.has(this.token.name)) this.arguments(node.args, states.argumentsClose)
    this.match("')'", states.argumentsClose, states.primaryEnd)
  }

  /** Returns the number of dotted names before a brace; 0 if no brace follows. */
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
    if (this.is("'?'") || startsName.has(this.token.name)) {
      node.fieldsStart = this.token.start
      this.#fields(node.fields)
    }
    this.#close("'}'", states.messageComma, states.messageClose)
  }

  /** Consumes an optional trailing comma and the closing token. */
  #close(name: TokenName, comma: GrammarState, close: GrammarState): void {
    this.sync(comma)
    if (this.is("','")) this.take()
    this.match(name, close, states.primaryEnd)
  }

  #list(begin: (node: ParseTree) => void): void {
    const node: ParseTree & { kind: 'list' } = { kind: 'list', open: this.take(), elements: [] }
    begin(node)
    this.sync(states.list)
    if (this.is("'?'") || startsExpression.has(this.token.name)) {
      this.enter('listInit', states.listComma)
      try {
        do node.elements.push(this.#optional(states.elementsComma))
        while (this.#acceptComma())
      } catch (error) {
        this.recoverFrom(error)
      } finally {
        this.exit('listInit')
      }
    }
    this.#close("']'", states.listComma, states.listClose)
  }

  /** Consumes a comma if another element follows. Returns whether it did. */
  #acceptComma(): boolean {
    const next = this.peek(2).name
    if (!this.is("','") || (next !== "'?'" && !startsExpression.has(next))) return false
    this.take()
    return true
  }

  #map(begin: (node: ParseTree) => void): void {
    const node: ParseTree & { kind: 'map' } = { kind: 'map', open: this.take(), entries: [] }
    begin(node)
    this.sync(states.map)
    if (this.is("'?'") || startsExpression.has(this.token.name)) {
      this.enter('mapInitializerList', states.mapComma)
      try {
        do {
          const entry: EntryTree = { key: this.#optional(states.entryColon) }
          node.entries.push(entry)
          entry.colon = this.match("':'", states.entryColon, states.entryValue)
          entry.value = this.expression(states.entriesComma)
        } while (this.#acceptComma())
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
        field.value = this.expression(states.fieldsComma)
        const next = this.peek(2).name
        if (!this.is("','") || (next !== "'?'" && !startsName.has(next))) return
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
      if (this.is("'?'")) {
        this.take()
        optional = true
      }
      name = this.escapedName(states.fieldEnd)
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('optField')
    }
    return { name, optional }
  }

  #optional(follow: GrammarState): OptionalTree {
    const node: OptionalTree = { optional: false, value: this.broken() }
    this.enter('optExpr', follow)
    try {
      this.sync(states.optional)
      if (this.is("'?'")) {
        this.take()
        node.optional = true
      }
      node.value = this.expression(states.optionalEnd)
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('optExpr')
    }
    return node
  }

  protected arguments(args: ParseTree[], follow: GrammarState): void {
    this.enter('exprList', follow)
    try {
      args.push(this.expression(states.argumentsComma))
      while (this.is("','")) {
        this.take()
        args.push(this.expression(states.argumentsComma))
      }
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('exprList')
    }
  }

  protected escapedName(follow: GrammarState): NameTree {
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
      const negative = this.is("'-'")
      if (negative) {
        if (!this.isNumber(2)) this.noChoice(2, states.literal)
        this.take()
      }
      begin({ kind: 'literal', negative, token: this.take(), start })
    } catch (error) {
      this.recoverFrom(error)
    } finally {
      this.exit('literal')
    }
  }

  protected broken(): ParseTree {
    return { kind: 'broken', start: this.token.start }
  }
}
