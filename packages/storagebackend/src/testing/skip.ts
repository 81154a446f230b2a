import { afterAll, it } from 'vitest'

/** A test of the suite that an implementation does not pass, with the reason. */
export interface Skip {
  readonly test: string
  readonly reason: string
}

export interface SuiteOptions {
  readonly skip?: readonly Skip[]
}

/** Declares the tests of a suite, and skips the listed ones. Throws if a listed name is not the name of a test. */
export class SuiteTests {
  readonly #name: string
  readonly #skip: ReadonlyMap<string, string>
  readonly #unused: Set<string>
  #run = 0
  #passed = 0

  /** `name` is the name of the suite in its summary: "storage suite on lmdb". */
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

  /** Ends the suite, and prints the number of its tests, so that a growing list of skipped tests is noticed. */
  finish(): void {
    afterAll(() => {
      console.log(`${this.#name}: ${this.#run} cases, ${this.#passed} passed, ${this.#skip.size} skipped`)
    })
    if (this.#unused.size > 0) throw new Error(`the suite has no test named ${[...this.#unused].join(', ')}`)
  }
}
