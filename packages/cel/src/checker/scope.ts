import type { Environment } from '../environment.ts'
import type { Type } from '../types/type.ts'

export interface Named {
  /** The name without a leading dot. */
  readonly name: string
  readonly type: Type
}

/** The variables that are visible at a position in an expression. Macro variables shadow those of the environment. */
export class Scope {
  readonly #environment: Environment
  readonly #bound: Named | undefined
  readonly #outer: Scope | undefined

  constructor(environment: Environment, bound?: Named, outer?: Scope) {
    this.#environment = environment
    this.#bound = bound
    this.#outer = outer
  }

  with(name: string, type: Type): Scope {
    return new Scope(this.#environment, { name, type }, this)
  }

  find(written: string): Named | undefined {
    const name = written.startsWith('.') ? written.slice(1) : written
    const bound = this.#findBound(name)
    if (bound !== undefined) return bound
    const type = this.#environment.ident(name)
    return type === undefined ? undefined : { name, type }
  }

  #findBound(name: string): Named | undefined {
    if (this.#bound?.name === name) return this.#bound
    return this.#outer === undefined ? undefined : this.#outer.#findBound(name)
  }
}
