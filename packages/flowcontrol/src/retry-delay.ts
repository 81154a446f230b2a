const longestDelay = 32

/**
 * Computes how many seconds rejected clients should wait. Starts with one second. The delay doubles while many requests are rejected, at
 * most once within the delay itself, and becomes shorter by a second in each second with few rejections.
 */
export class RetryDelay {
  /** The delay for clients whose request is rejected now, in seconds. */
  seconds = 1
  /** Rejections by second, without the current one. Has no entries older than twice the delay. */
  #history: { readonly second: number; readonly count: number }[] = []
  #second = 0
  #count = 0
  #doubled = 0

  /** Counts a rejected request. `now` is the time in milliseconds. */
  record(now: number): void {
    const second = Math.floor(now / 1000)
    if (second === this.#second) {
      this.#count++
      return
    }
    this.#history.push({ second: this.#second, count: this.#count })
    const oldest = this.#second - Math.min(2 * this.seconds, longestDelay)
    this.#history = this.#history.filter((entry) => entry.second >= oldest)
    this.#second = second
    this.#count = 1
    this.#adapt(second)
  }

  #adapt(second: number): void {
    let rejected = 0
    for (const entry of this.#history) if (second - entry.second <= this.seconds && entry.second < second) rejected += entry.count
    if (second - this.#doubled >= this.seconds && rejected >= 3 * this.seconds) {
      this.seconds = Math.min(2 * this.seconds, longestDelay)
      this.#doubled = second
    } else if (rejected < this.seconds && this.seconds > 1) this.seconds--
  }
}
