import { LinkedList } from '../linked-list.ts'
import type { ListNode } from '../linked-list.ts'

/** Anything with a start time by the clock of its `Deadlines`. */
interface Started {
  readonly started: number
}
export type Deadline<T> = ListNode<T>

/**
 * The usual deadline of many requests. All wait equally long, so they expire in the order in which they were added: one timer looks at the oldest, and a request costs
 * an insertion and a removal instead of a timer of its own. Late by at most one tick. Setting the system's clock changes nothing.
 */
export class Deadlines<T extends Started> {
  readonly milliseconds: number
  readonly #tick: number
  readonly #waiting = new LinkedList<T>()
  readonly #expire: (entry: T) => void
  #timer: NodeJS.Timeout | undefined

  /** `expire` is called for each entry that is not deleted within `milliseconds` of its start. */
  constructor(milliseconds: number, expire: (entry: T) => void) {
    this.milliseconds = milliseconds
    this.#tick = Math.min(1000, Math.max(10, milliseconds / 10))
    this.#expire = expire
  }

  /** `entry.started` is a time of `performance.now()`, no earlier than that of the entry before. */
  add(entry: T): Deadline<T> {
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), this.#tick)
      this.#timer.unref()
    }
    return this.#waiting.add(entry)
  }

  delete(deadline: Deadline<T>): void {
    this.#waiting.remove(deadline)
  }

  #sweep(): void {
    const due = performance.now() - this.milliseconds
    for (let first = this.#waiting.first; first !== undefined && first.value.started <= due; first = this.#waiting.first) {
      this.#waiting.remove(first)
      this.#expire(first.value)
    }
    if (this.#waiting.first === undefined) this.stop()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
