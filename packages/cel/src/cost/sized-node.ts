import type { Expr } from '../ast.ts'
import type { Type } from '../types/type.ts'
import type { Range } from './range.ts'

/** An argument of a call with its estimated size. */
export interface SizedNode {
  /**
   * Path of the value: the name of a variable, then fields, `@items`, `@keys` and `@values`. Empty if the value is not part of a variable.
   */
  readonly path: readonly string[]
  readonly type: Type
  readonly expression: Expr | undefined
  /** Size of the value; `unknown` if neither the expression nor a hint determines it. */
  readonly size: Range
  readonly isSizeKnown: boolean
}

export interface CallCost {
  /** Cost of the call without the cost of its arguments. */
  readonly cost: Range
  readonly resultSize?: Range
}

export interface CallNodes {
  readonly target: SizedNode | undefined
  readonly args: readonly SizedNode[]
  /** Returns the size of a list's elements. */
  readonly getItemSize: (list: SizedNode) => Range
}

/** Returns the size range of the value at a path; undefined if it is unknown. */
export type SizeHints = (path: readonly string[]) => Range | undefined
