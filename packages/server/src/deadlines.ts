import { Row } from './row.ts'
import type { Place } from './row.ts'

/** What has a latest moment. */
export interface Expiring {
  expire(): void
}

interface Waiting {
  readonly entry: Expiring
  readonly started: number
}
export type Deadline = Place<Waiting>

/**
 * The usual deadline, for many requests at once. One timer looks at the oldest; all wait equally long, so the row is in order of expiry, and
 * a request costs coming and leaving instead of a timer of its own. Late by at most a tick; a clock that is set changes nothing.
 */
export class Deadlines {
  readonly #milliseconds: number
  readonly #tick: number
  readonly #row = new Row<Waiting>()
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined

  constructor(milliseconds: number, now: () => number = () => performance.now()) {
    this.#milliseconds = milliseconds
    this.#tick = Math.min(1000, Math.max(10, milliseconds / 10))
    this.#now = now
  }

  /** `started` by the same clock, where it is known, and no earlier than that of the one before. */
  add(entry: Expiring, started: number = this.#now()): Deadline {
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), this.#tick)
      this.#timer.unref()
    }
    return this.#row.add({ entry, started })
  }

  delete(deadline: Deadline): void {
    this.#row.remove(deadline)
  }

  #sweep(): void {
    const due = this.#now() - this.#milliseconds
    for (let first = this.#row.first; first !== undefined && first.value.started <= due; first = this.#row.first) {
      this.#row.remove(first)
      first.value.entry.expire()
    }
    if (this.#row.first === undefined) this.stop()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
