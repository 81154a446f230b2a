import type { Value } from '../values/value.ts'

/** Implements an overload. The evaluator passes values of the declared types only, and no errors. */
export type Implementation = (...args: readonly Value[]) => Value | Promise<Value>

/** Implementations by overload. */
export type Implementations = Readonly<Record<string, Implementation>>

/** Adapts a function with narrower parameters. The evaluator checks the types before it calls an overload. */
export function typed<Args extends readonly unknown[]>(implement: (...args: Args) => Value | Promise<Value>): Implementation {
  return implement as unknown as Implementation
}
