import { sliceMilliseconds } from '@keelson/apimachinery'

/**
 * The time in one turn of the event loop for work that can wait, such as the first batches of hundreds of watches that start at once. When it is
 * spent, work waits in a queue. The next turns run the queue in order, each until its time is spent.
 */
export class TurnBudget {
  readonly #now: () => number
  readonly #waiting: (() => void)[] = []
  #turnEnds: number | undefined

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Whether the time of this turn is spent. Check it before each step of work. */
  get isSpent(): boolean {
    if (this.#turnEnds === undefined) {
      this.#begin()
      return false
    }
    return this.#now() >= this.#turnEnds
  }

  /** Calls `resume` in a later turn. */
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
    // Work that waits again while the queue runs goes to its end, in another turn.
    let left = this.#waiting.length
    if (left === 0) return
    this.#begin()
    while (left-- > 0 && !this.isSpent) this.#waiting.shift()!()
  }
}

/** The budget of all watches of the process, because they share one thread. */
export const catchUpBudget: TurnBudget = new TurnBudget()
