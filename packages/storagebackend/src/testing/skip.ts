import { afterAll, it } from 'vitest'

/** A test that an implementation does not pass, with the reason. */
export interface Skip {
  readonly test: string
  readonly reason: string
}

export interface SuiteOptions {
  readonly skip?: readonly Skip[]
}

/** Declares tests, and skips the listed ones. A listed name without a test is an error. */
export class SuiteTests {
  readonly #name: string
  readonly #skip: ReadonlyMap<string, string>
  readonly #unused: Set<string>
  #run = 0
  #passed = 0

  /** `name` is the subject of the summary: "storage suite on lmdb". */
  constructor(name: string, options: SuiteOptions) {
    this.#name = name
    this.#skip = new Map((options.skip ?? []).map(({ test, reason }) => [test, reason]))
    this.#unused = new Set(this.#skip.keys())
  }

  test(name: string, run: () => Promise<void>): void {
    this.#unused.delete(name)
    const reason = this.#skip.get(name)
    if (reason !== undefined) {
      it.skip(`${name} (${reason})`, run)
      return
    }
    it(name, async () => {
      this.#run++
      await run()
      this.#passed++
    })
  }

  /** Ends the suite. Prints the number of tests, so that a growing list of skipped tests is visible. */
  finish(): void {
    afterAll(() => {
      console.log(`${this.#name}: ${this.#run} cases, ${this.#passed} passed, ${this.#skip.size} skipped`)
    })
    if (this.#unused.size > 0) throw new Error(`the suite has no test named ${[...this.#unused].join(', ')}`)
  }
}
