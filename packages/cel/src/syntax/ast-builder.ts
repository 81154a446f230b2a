import type { Call, Expr, MapEntry, StructField } from '../ast.ts'
import type { Issues } from '../issues.ts'
import { Copier } from '../macros/copier.ts'
import type { Macro } from '../macros/macro.ts'
import { MacroError } from '../macros/macro.ts'
import { binaryOperators, operators } from '../operators.ts'
import { beforeText, wholeExpression } from '../source.ts'
import { parseConstant } from './literals.ts'
import type { EntryTree, FieldTree, NameTree, ParseTree } from './parse-tree.ts'
import { ParsingAborted } from './recovery.ts'
import { reservedWords } from './reserved-words.ts'

const maxDepth = 250

type TreeOf<Kind extends ParseTree['kind']> = ParseTree & { kind: Kind }

/** Builds the AST from the parse tree. Operators become calls, and macros are expanded. */
export class AstBuilder {
  readonly #issues: Issues
  readonly #macros: ReadonlyMap<string, Macro>
  /** Original macro calls by the expression that replaced them. */
  readonly macroCalls: Map<Expr, Call> = new Map()
  readonly #copier = new Copier()
  #depth = 0

  constructor(issues: Issues, macros: ReadonlyMap<string, Macro>) {
    this.#issues = issues
    this.#macros = macros
  }

  build(tree: ParseTree): Expr {
    try {
      return this.#expr(tree)
    } catch (error) {
      if (!(error instanceof ParsingAborted)) throw error
      this.#issues.report(wholeExpression, 'max recursion depth exceeded')
      return { kind: 'unspecified', offset: beforeText }
    }
  }

  #expr(tree: ParseTree | undefined): Expr {
    switch (tree?.kind) {
      case 'conditional':
        return this.#deeper(() => this.#conditional(tree))
      case 'logic':
        return this.#buildLogic(tree)
      case 'binary':
        return this.#deeper(() => this.#binary(tree))
      case 'unary':
        return this.#unary(tree)
      case 'select':
        return this.#deeper(() => this.#select(tree))
      case 'method':
        return this.#deeper(() => this.#method(tree))
      case 'index':
        return this.#deeper(() => this.#index(tree))
      case 'name':
        return this.#notReserved(tree) ?? { kind: 'ident', name: `${tree.dot ? '.' : ''}${tree.name.text}`, offset: tree.name.start }
      case 'call':
        return this.#notReserved(tree) ?? this.#globalCall(tree)
      case 'list':
        return this.#list(tree)
      case 'map':
        return { kind: 'map', entries: tree.entries.flatMap((entry) => this.#entry(entry)), offset: tree.open.start }
      case 'message':
        return this.#message(tree)
      case 'literal':
        return this.#literal(tree)
      default:
        return createMissingOperand(tree)
    }
  }

  #deeper(build: () => Expr): Expr {
    if (++this.#depth > maxDepth) throw new ParsingAborted()
    const built = build()
    this.#depth--
    return built
  }

  #fail(offset: number, message: string): Expr {
    this.#issues.report(offset, message)
    return { kind: 'unspecified', offset }
  }

  #conditional({ condition, operator, whenTrue, otherwise }: TreeOf<'conditional'>): Expr {
    const args = [condition, whenTrue, otherwise].map((part) => this.#expr(part))
    return { kind: 'call', name: operators.conditional, args, offset: operator.start }
  }

  /** Builds a balanced tree of `&&` or `||` terms. Both operators are associative, so long chains get a low depth. */
  #buildLogic({ operator, terms, operators: operatorTokens }: TreeOf<'logic'>): Expr {
    const operands = terms.map((term) => this.#expr(term))
    const name = binaryOperators.get(operator)!
    const buildBalanced = (low: number, high: number): Expr => {
      const middle = (low + high + 1) >> 1
      const left = middle === low ? operands[middle]! : buildBalanced(low, middle - 1)
      const right = middle === high ? operands[middle + 1]! : buildBalanced(middle + 1, high)
      return { kind: 'call', name, args: [left, right], offset: operatorTokens[middle]!.start }
    }
    return buildBalanced(0, operatorTokens.length - 1)
  }

  #binary({ operator, left, right }: TreeOf<'binary'>): Expr {
    const args = [this.#expr(left), this.#expr(right)]
    return { kind: 'call', name: binaryOperators.get(operator.text)!, args, offset: operator.start }
  }

  #unary({ operators: written, operand }: TreeOf<'unary'>): Expr {
    const value = this.#expr(operand)
    if (written.length % 2 === 0) return value
    const [{ name, start }] = written as [(typeof written)[0]]
    return { kind: 'call', name: name === "'!'" ? operators.not : operators.negate, args: [value], offset: start }
  }

  #select({ operand, dot, optional, name }: TreeOf<'select'>): Expr {
    const target = this.#expr(operand)
    if (name === undefined) return { kind: 'unspecified', offset: dot.start }
    const field = this.#fieldName(name, name.start)
    if (!optional) return { kind: 'select', operand: target, field: field ?? '', testOnly: false, offset: dot.start }
    const constant: Expr = { kind: 'literal', constant: { type: 'string', value: field ?? '' }, offset: name.start }
    return { kind: 'call', name: operators.optionalSelect, args: [target, constant], offset: dot.start }
  }

  #fieldName({ token }: NameTree, offset: number): string | undefined {
    if (token?.name === 'IDENTIFIER') return token.text
    this.#issues.report(offset, token === undefined ? 'unsupported ident kind' : "unsupported syntax: '`'")
    return undefined
  }

  #method({ operand, name, open, args }: TreeOf<'method'>): Expr {
    const target = this.#expr(operand)
    return this.#expand({ kind: 'call', name: name.text, target, args: args.map((arg) => this.#expr(arg)), offset: open.start })
  }

  #index({ operand, open, optional, index }: TreeOf<'index'>): Expr {
    const args = [this.#expr(operand), this.#expr(index)]
    return { kind: 'call', name: optional ? operators.optionalIndex : operators.index, args, offset: open.start }
  }

  #notReserved({ name, start }: TreeOf<'name' | 'call'>): Expr | undefined {
    return reservedWords.has(name.text) ? this.#fail(start, `reserved identifier: ${name.text}`) : undefined
  }

  #globalCall({ dot, name, open, args }: TreeOf<'call'>): Expr {
    return this.#expand({
      kind: 'call',
      name: `${dot ? '.' : ''}${name.text}`,
      args: args.map((arg) => this.#expr(arg)),
      offset: open.start,
    })
  }

  #expand(call: Call): Expr {
    const macro = this.#macros.get(`${call.name}:${call.args.length}:${call.target !== undefined}`)
    if (macro === undefined) return call
    try {
      const expanded = macro.expand(call, this.#copier)
      if (expanded === undefined) return call
      this.macroCalls.set(expanded, call)
      return expanded
    } catch (error) {
      if (error instanceof MacroError) return this.#fail(error.offset, error.message)
      throw error
    }
  }

  #list({ elements, open }: TreeOf<'list'>): Expr {
    const optional = new Set(elements.flatMap((element, i) => (element.optional ? [i] : [])))
    return { kind: 'list', elements: elements.map(({ value }) => this.#expr(value)), optional, offset: open.start }
  }

  #entry({ key, colon, value }: EntryTree): MapEntry[] {
    if (colon === undefined) return []
    return [{ key: this.#expr(key.value), value: this.#expr(value), optional: key.optional, offset: colon.start }]
  }

  #message({ dot, names, open, fields, fieldsStart }: TreeOf<'message'>): Expr {
    const typeName = (dot ? '.' : '') + names.map(({ text }) => text).join('.')
    return { kind: 'struct', typeName, fields: fields.flatMap((field) => this.#field(field, fieldsStart)), offset: open.start }
  }

  #field({ name, optional, colon, value }: FieldTree, fieldsStart: number): StructField[] {
    if (colon === undefined) return []
    const field = this.#fieldName(name, fieldsStart)
    return field === undefined ? [] : [{ name: field, value: this.#expr(value), optional, offset: colon.start }]
  }

  #literal({ negative, token, start }: TreeOf<'literal'>): Expr {
    const constant = parseConstant(token, negative)
    return typeof constant === 'string' ? this.#fail(start, constant) : { kind: 'literal', constant, offset: start }
  }
}

/** Creates the node of a missing operand. It is a string, so macros report that it is no variable name. */
function createMissingOperand(tree: (ParseTree & { kind: 'broken' }) | undefined): Expr {
  if (tree?.expected !== 'operand') return { kind: 'unspecified', offset: beforeText }
  return { kind: 'literal', constant: { type: 'string', value: '<<error>>' }, offset: tree.start }
}
