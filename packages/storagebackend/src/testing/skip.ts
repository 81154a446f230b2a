import { afterAll, it } from 'vitest'

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
  readonly #name: string
  readonly #skip: ReadonlyMap<string, string>
  readonly #unused: Set<string>
  #run = 0
  #passed = 0

  /** `name` is what the summary is about: "storage suite on lmdb". */
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

  /** After the last test. Prints how many cases there were, so that a list of skips that grows is seen. */
  finish(): void {
    afterAll(() => {
      console.log(`${this.#name}: ${this.#run} cases, ${this.#passed} passed, ${this.#skip.size} skipped`)
    })
    if (this.#unused.size > 0) throw new Error(`the suite has no test named ${[...this.#unused].join(', ')}`)
  }
}
