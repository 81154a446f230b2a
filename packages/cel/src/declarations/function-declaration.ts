import type { Type } from '../types/type.ts'

/** One way to call a function. */
export interface Overload {
  readonly id: string
  /** Called on its first argument: `target.name(…)`. */
  readonly isMember: boolean
  readonly args: readonly Type[]
  readonly result: Type
  /** Names of the parameters among its types. */
  readonly typeParameters: readonly string[]
}

export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
}
