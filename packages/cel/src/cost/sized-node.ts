import type { Expr } from '../ast.ts'
import type { Type } from '../types/type.ts'
import type { Range } from './range.ts'

/** An argument of a call, with its size if known. */
export interface SizedNode {
  /** Path from a variable through fields, `@items`, `@keys` and `@values`; empty if it does not start at a variable. */
  readonly path: readonly string[]
  readonly type: Type
  readonly expression: Expr | undefined
  /** `unknown` if neither the expression nor a hint determines it. */
  readonly size: Range
  readonly isSizeKnown: boolean
}

export interface CallCost {
  /** Excludes the cost of the arguments. */
  readonly cost: Range
  readonly resultSize?: Range
}

export interface CallNodes {
  readonly target: SizedNode | undefined
  readonly args: readonly SizedNode[]
  /** Returns the size of a list's elements. */
  readonly itemSize: (list: SizedNode) => Range
}

/** Returns the maximum size of a value at a path; undefined if unknown. */
export type SizeHints = (path: readonly string[]) => Range | undefined
