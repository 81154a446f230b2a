export interface BackoffOptions {
  /** Delay before the first retry, ms. */
  readonly first: number
  readonly longest: number
  /** Returns numbers in [0, 1). Lengthens each delay by up to a fifth. Default Math.random. */
  readonly random?: () => number
}

/** Exponential backoff: doubles after each failure, up to a limit. */
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
