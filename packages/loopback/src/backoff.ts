export interface BackoffOptions {
  /** Milliseconds before the first retry. */
  readonly first: number
  readonly longest: number
  /** Numbers in [0, 1); spreads retries over up to a fifth more. Default Math.random. */
  readonly random?: () => number
}

/** Twice as long after each failure, up to a limit. */
export class Backoff {
  readonly #options: BackoffOptions
  #failures = 0

  constructor(options: BackoffOptions) {
    this.#options = options
  }

  next(): number {
    const { first, longest, random = Math.random } = this.#options
    const base = Math.min(longest, first * 2 ** Math.min(this.#failures++, 30))
    return base * (1 + random() / 5)
  }

  reset(): void {
    this.#failures = 0
  }
}
