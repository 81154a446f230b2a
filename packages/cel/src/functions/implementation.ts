import type { Value } from '../values/value.ts'

/** The implementation of an overload. The evaluator passes only values of the declared types, and no errors. */
export type Implementation = (...args: readonly Value[]) => Value | Promise<Value>

/** Implementations by overload id. */
export type Implementations = Readonly<Record<string, Implementation>>

/** Adapts a function with narrower parameter types. This is safe because the evaluator checks the types before it calls an overload. */
export function adaptTypes<Args extends readonly unknown[]>(implement: (...args: Args) => Value | Promise<Value>): Implementation {
  return implement as unknown as Implementation
}
