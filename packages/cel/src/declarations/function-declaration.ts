import type { Type } from '../types/type.ts'

/** One overload of a function. */
export interface Overload {
  readonly id: string
  /** True for member functions: `target.name(…)`. */
  readonly isMember: boolean
  readonly args: readonly Type[]
  readonly result: Type
  /** The type parameters used in the overload. */
  readonly typeParameters: readonly string[]
}

export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
}
