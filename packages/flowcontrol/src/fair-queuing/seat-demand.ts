/** Statistics of the number of seats that requests executed in or waited for. */
export interface DemandStatistics {
  readonly milliseconds: number
  /** Average over time. NaN if no time passed, like `deviation`. */
  readonly average: number
  readonly deviation: number
  readonly min: number
  readonly max: number
}

/** Integrates the seat demand of a priority level over time, for the distribution of seats among levels. */
export class SeatDemand {
  readonly #now: () => number
  #value = 0
  #changedAt: number
  #milliseconds = 0
  #integral = 0
  #integralOfSquare = 0
  #min = 0
  #max = 0

  constructor(now: () => number) {
    this.#now = now
    this.#changedAt = now()
  }

  get value(): number {
    return this.#value
  }

  /** Sets the current demand. `now` is a reading of the clock. */
  set(value: number, now: number): void {
    this.#integrate(now)
    this.#value = value
    if (value < this.#min) this.#min = value
    else if (value > this.#max) this.#max = value
  }

  read(): DemandStatistics {
    this.#integrate(this.#now())
    const milliseconds = this.#milliseconds
    const average = this.#integral / milliseconds
    // Rounding may turn a variance of 0 into a small negative number. kube-apiserver reports NaN then.
    const deviation = Math.sqrt(this.#integralOfSquare / milliseconds - average * average)
    return { milliseconds, average, deviation, min: this.#min, max: this.#max }
  }

  /** Returns the statistics since the last reset and starts again with the current demand. */
  reset(): DemandStatistics {
    const statistics = this.read()
    this.#milliseconds = this.#integral = this.#integralOfSquare = 0
    this.#min = this.#max = this.#value
    return statistics
  }

  #integrate(now: number): void {
    const milliseconds = now - this.#changedAt
    this.#changedAt = now
    this.#milliseconds += milliseconds
    this.#integral += this.#value * milliseconds
    this.#integralOfSquare += this.#value * this.#value * milliseconds
  }
}
