import type { Expr } from '../ast.ts'
import type { Type } from '../types/type.ts'
import type { Range } from './range.ts'

/** An argument of a call, as far as its size may be known. */
export interface SizedNode {
  /** From a variable through fields, `@items`, `@keys` and `@values`; empty when it comes from no variable. */
  readonly path: readonly string[]
  readonly type: Type
  readonly expression: Expr | undefined
  /** `unknown` when neither the expression nor a hint says it. */
  readonly size: Range
  readonly isSizeKnown: boolean
}

export interface CallCost {
  /** Without that of the arguments. */
  readonly cost: Range
  readonly resultSize?: Range
}

export interface CallNodes {
  readonly target: SizedNode | undefined
  readonly args: readonly SizedNode[]
  /** The size of a list's elements. */
  readonly itemSize: (list: SizedNode) => Range
}

/** How large what a variable holds may be; undefined when nothing is known of it. */
export type SizeHints = (path: readonly string[]) => Range | undefined
