/** A constant, by the type that it has in the language: int and uint are both `bigint`. */
export type Constant =
  | { readonly type: 'null'; readonly value: null }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int' | 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }

interface Node {
  /** Where the original shows it in the text: a call at its bracket or operator. */
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
  /** Asks whether the field is there: `has(operand.field)`. */
  readonly testOnly: boolean
}

export interface Call extends Node {
  readonly kind: 'call'
  /** Operators too are functions: `_+_`. */
  readonly name: string
  /** What the function is called on: `target.name(…)`. */
  readonly target?: Expr
  readonly args: readonly Expr[]
}

export interface ListExpr extends Node {
  readonly kind: 'list'
  readonly elements: readonly Expr[]
  /** Elements written `?element`. */
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
 * A fold: starting from `init`, `step` makes the next value of the accumulator for each element of the range, as long as `condition` holds; `result` is what
 * comes of it. With `secondVariable` the first is the index or key. Macros make these; the language has no other way to write one.
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

/** Stands where text could not be understood. */
export interface Unspecified extends Node {
  readonly kind: 'unspecified'
}

export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | Struct | Comprehension | Unspecified

export function childrenOf(expression: Expr): readonly Expr[] {
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

/** `a.b.c` as a name; undefined for anything else. */
export function qualifiedName(expression: Expr): string | undefined {
  if (expression.kind === 'ident') return expression.name
  if (expression.kind !== 'select' || expression.testOnly) return undefined
  const operand = qualifiedName(expression.operand)
  return operand === undefined ? undefined : `${operand}.${expression.field}`
}
