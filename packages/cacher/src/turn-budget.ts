import { sliceMilliseconds } from '@keelson/apimachinery'

/**
 * Limits the time in one turn of the event loop for work that can wait, such as the first batches of hundreds of watches that start at
 * once. When the time is used up, further work waits in a queue. Each of the next turns runs work from the queue until the time of that
 * turn is used up.
 */
export class TurnBudget {
  readonly #now: () => number
  readonly #waiting: (() => void)[] = []
  #turnEnds: number | undefined

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Whether the time of this turn is used up. Check it before each step of work. */
  get isSpent(): boolean {
    if (this.#turnEnds === undefined) {
      this.#begin()
      return false
    }
    return this.#now() >= this.#turnEnds
  }

  /** Adds `resume` to the queue. It is called in a later turn. */
  wait(resume: () => void): void {
    this.#waiting.push(resume)
    if (this.#turnEnds === undefined) this.#begin()
  }

  #begin(): void {
    this.#turnEnds = this.#now() + sliceMilliseconds
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#turnEnds = undefined
    // Work that waits again while it runs is added to the end of the queue, and runs in another turn.
    let remaining = this.#waiting.length
    if (remaining === 0) return
    this.#begin()
    while (remaining-- > 0 && !this.isSpent) this.#waiting.shift()!()
  }
}

/** The budget that all watches of the process share, because they run in one thread. */
export const catchUpBudget: TurnBudget = new TurnBudget()
