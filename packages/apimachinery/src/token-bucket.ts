export interface TokenRate {
  /** Tokens that are added each second. */
  readonly qps: number
  /** Maximum number of tokens. */
  readonly burst: number
}

/** Limits a rate. Unused tokens accumulate up to the burst. A bucket starts full. All times are in milliseconds. */
export class TokenBucket {
  readonly #rate: TokenRate
  #tokens: number
  /** Time of the last change. */
  #changed: number

  constructor(rate: TokenRate, now: number) {
    this.#rate = rate
    this.#tokens = rate.burst
    this.#changed = now
  }

  /** Takes a token. Returns false if there is none. */
  take(now: number): boolean {
    this.#fill(now)
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /** Takes a token that may not exist yet. Returns the time until it does. */
  reserve(now: number): number {
    this.#fill(now)
    this.#tokens--
    return this.#tokens < 0 ? (-this.#tokens / this.#rate.qps) * 1000 : 0
  }

  #fill(now: number): void {
    const { qps, burst } = this.#rate
    this.#tokens = Math.min(burst, this.#tokens + (Math.max(0, now - this.#changed) * qps) / 1000)
    this.#changed = now
  }
}
