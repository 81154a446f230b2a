import { adapt, BoxedValue } from '../values/value.ts'
import type { Value } from '../values/value.ts'

/** The variables of an evaluation by name: values, decoded JSON, or `Lazy` values. Undefined means that the variable does not exist. */
export type Activation = Readonly<Record<string, unknown>>

/** A variable or a field of a variable that is computed on first use. The function is called at most once and may return a promise. */
export class Lazy extends BoxedValue {
  readonly #compute: () => unknown
  #value: Value | Promise<Value> | undefined

  constructor(compute: () => unknown) {
    super()
    this.#compute = compute
  }

  value(): Value | Promise<Value> {
    if (this.#value === undefined) {
      const computed = this.#compute()
      this.#value = computed instanceof Promise ? computed.then(adapt) : adapt(computed)
    }
    return this.#value
  }
}
