import type { Task } from '@keelson/apimachinery'
import { operators } from './operators.ts'

/** A constant with its CEL type. Both int and uint are `bigint`. */
export type Constant =
  | { readonly type: 'null'; readonly value: null }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int' | 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }

interface Node {
  /** Offset of the node that messages show. For a call, it is that of the opening parenthesis or the operator, as in cel-go. */
  readonly offset: number
}

export interface Literal extends Node {
  readonly kind: 'literal'
  readonly constant: Constant
}

export interface Ident extends Node {
  readonly kind: 'ident'
  readonly name: string
}

export interface Select extends Node {
  readonly kind: 'select'
  readonly operand: Expr
  readonly field: string
  /** True for a presence test: `has(operand.field)`. */
  readonly testOnly: boolean
}

export interface Call extends Node {
  readonly kind: 'call'
  /** Name of the function. Operators are functions with names such as `_+_`. */
  readonly name: string
  /** The receiver of a member call: `target.name(…)`. */
  readonly target?: Expr
  readonly args: readonly Expr[]
}

export interface ListExpr extends Node {
  readonly kind: 'list'
  readonly elements: readonly Expr[]
  /** Indexes of the optional elements, which are written `?element`. */
  readonly optional: ReadonlySet<number>
}

export interface MapEntry extends Node {
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

export interface MapExpr extends Node {
  readonly kind: 'map'
  readonly entries: readonly MapEntry[]
}

export interface StructField extends Node {
  readonly name: string
  readonly value: Expr
  readonly optional: boolean
}

export interface Struct extends Node {
  readonly kind: 'struct'
  readonly typeName: string
  readonly fields: readonly StructField[]
}

/**
 * A fold over a range. Starting from `init`, `step` computes the next accumulator for each element while `condition` is true. `result` is
 * the value of the whole expression. With `secondVariable`, the first variable is the index or key. CEL has no syntax for comprehensions;
 * macros create them.
 */
export interface Comprehension extends Node {
  readonly kind: 'comprehension'
  readonly range: Expr
  readonly variable: string
  readonly secondVariable?: string
  readonly accumulator: string
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** Placeholder for text that could not be parsed. */
export interface Unspecified extends Node {
  readonly kind: 'unspecified'
}

export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | Struct | Comprehension | Unspecified

export function listChildren(expression: Expr): readonly Expr[] {
  switch (expression.kind) {
    case 'select':
      return [expression.operand]
    case 'call':
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args]
    case 'list':
      return expression.elements
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value])
    case 'struct':
      return expression.fields.map(({ value }) => value)
    case 'comprehension': {
      const { range, init, condition, step, result } = expression
      return [range, init, condition, step, result]
    }
    default:
      return []
  }
}

/** Returns the qualified name of an expression such as `a.b.c`; undefined for other expressions. */
export function getQualifiedName(expression: Expr): string | undefined {
  if (expression.kind === 'ident') return expression.name
  if (expression.kind !== 'select' || expression.testOnly) return undefined
  const operand = getQualifiedName(expression.operand)
  return operand === undefined ? undefined : `${operand}.${expression.field}`
}

/** Number of operands of `&&` and `||` that are visited in one step. */
const operandsPerStep = 64

/** Calls `visit` with the nodes of `listLogicNodes`. Yields after some of them. */
export function* visitLogicNodes(expression: Expr, visit: (node: Expr) => void): Task<void> {
  for (const [i, node] of listLogicNodes(expression).entries()) {
    visit(node)
    if (i % operandsPerStep === operandsPerStep - 1) yield
  }
}

/**
 * Returns the operands of the `&&` and `||` at the top of an expression, and these calls themselves, each after its operands. The last node is the
 * expression. A long expression often consists of thousands of short operands.
 */
function listLogicNodes(expression: Expr): readonly Expr[] {
  const nodes: Expr[] = []
  const open = [expression]
  // Visits a call before its operands, and these from right to left.
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.push(node)
    if (node.kind === 'call' && (node.name === operators.and || node.name === operators.or)) open.push(...node.args)
  }
  return nodes.reverse()
}
