/** What has a latest moment. */
export interface Expiring {
  expire(): void
}

/**
 * The usual deadline, for many requests at once. One timer looks at the oldest; all wait equally long, so the set is in order of expiry, and
 * a request costs an insertion and a removal instead of a timer of its own. Late by at most a tick; a clock that is set changes nothing.
 */
export class Deadlines {
  readonly #milliseconds: number
  readonly #tick: number
  readonly #started = new Map<Expiring, number>()
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined

  constructor(milliseconds: number, now: () => number = () => performance.now()) {
    this.#milliseconds = milliseconds
    this.#tick = Math.min(1000, Math.max(10, milliseconds / 10))
    this.#now = now
  }

  /** `started` by the same clock, where it is known, and no earlier than that of the one before. */
  add(entry: Expiring, started: number = this.#now()): void {
    this.#started.set(entry, started)
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#sweep(), this.#tick)
    this.#timer.unref()
  }

  delete(entry: Expiring): void {
    this.#started.delete(entry)
  }

  #sweep(): void {
    const due = this.#now() - this.#milliseconds
    for (const [entry, started] of this.#started) {
      if (started > due) break
      this.#started.delete(entry)
      entry.expire()
    }
    if (this.#started.size === 0) this.stop()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
