import { it } from 'vitest'

/** A test of a suite that an implementation does not pass, and why. */
export interface Skip {
  readonly test: string
  readonly reason: string
}

export interface SuiteOptions {
  readonly skip?: readonly Skip[]
}

/** Declares a test, unless it is on the list. A name on the list that no test has is an error: lists rot. */
export class SuiteTests {
  readonly #skip: ReadonlyMap<string, string>
  readonly #unused: Set<string>

  constructor(options: SuiteOptions) {
    this.#skip = new Map((options.skip ?? []).map(({ test, reason }) => [test, reason]))
    this.#unused = new Set(this.#skip.keys())
  }

  test(name: string, run: () => Promise<void>): void {
    this.#unused.delete(name)
    const reason = this.#skip.get(name)
    if (reason === undefined) it(name, run)
    else it.skip(`${name} (${reason})`, run)
  }

  finish(): void {
    if (this.#unused.size > 0) throw new Error(`the suite has no test named ${[...this.#unused].join(', ')}`)
  }
}
