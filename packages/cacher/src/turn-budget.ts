import { sliceMilliseconds } from '@keelson/apimachinery'

/**
 * The time of one turn of the event loop that many share for work which can wait, such as the first batches of hundreds of watches that begin at once. Whoever
 * finds it spent waits in a queue; the next turns, each after other work had its chance, serve the queue in order until their time is spent, too.
 */
export class TurnBudget {
  readonly #now: () => number
  readonly #waiting: (() => void)[] = []
  #turnEnds: number | undefined

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Asked before each piece of work. */
  get spent(): boolean {
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
    // Who waits again while it is served comes after all the others, in another turn.
    let left = this.#waiting.length
    if (left === 0) return
    this.#begin()
    while (left-- > 0 && !this.spent) this.#waiting.shift()!()
  }
}

/** All watches of the process: they share its thread. */
export const catchUpBudget: TurnBudget = new TurnBudget()
