import { parseDuration, systemClock, waitForNextTurn } from '@keelson/apimachinery'
import type { Clock, TimerOptions } from '@keelson/apimachinery'

export interface ClockOptions {
  /** Time at the start. Default: the current time. */
  readonly start?: Date | string | number
  /** Whether the time changes only by `advance`. Default: false, so it also passes like the time of the system. */
  readonly frozen?: boolean
}

interface Timer {
  at: number
  readonly call: () => void
  readonly options: TimerOptions | undefined
  cancel: () => void
}

/** Event loop turns in which a change or a timer reaches everything that waits for it. */
const settleTurns = 5
/** Steps into which `advance` divides the time. Periodic work runs at most once in each step. */
const maxSteps = 500

/**
 * The clock of a cluster. It controls timestamps, times to live, leases, the expiry of tokens, bookmarks, grace periods and periodic work. Certificates and
 * timeouts of requests follow the clock of the system, because clients do too.
 */
export class ClusterClock implements Clock {
  readonly #frozen: boolean
  readonly #timers = new Set<Timer>()
  /** Difference to the clock of the system; for a frozen clock, its time. */
  #base: number

  constructor({ start, frozen = false }: ClockOptions = {}) {
    const time = start === undefined ? Date.now() : new Date(start).getTime()
    if (Number.isNaN(time)) throw new RangeError(`clock.start: ${String(start)} is not a time`)
    this.#frozen = frozen
    this.#base = frozen ? time : time - Date.now()
  }

  /** Creates a clock with the same time, which then changes independently. */
  fork(): ClusterClock {
    return new ClusterClock({ start: this.now(), frozen: this.#frozen })
  }

  /** Returns the time of the cluster in milliseconds since 1970. */
  readonly now = (): number => (this.#frozen ? this.#base : this.#base + Date.now())

  /** Calls a function after a time of the cluster. Returns a function that cancels the call. */
  readonly after = (milliseconds: number, call: () => void, options?: TimerOptions): (() => void) => {
    const timer: Timer = { at: this.now() + Math.max(0, milliseconds), call, options, cancel: () => {} }
    this.#timers.add(timer)
    this.#start(timer)
    return () => {
      this.#timers.delete(timer)
      timer.cancel()
    }
  }

  /**
   * Moves the time of the cluster forward. `duration` is a number of milliseconds, or a text such as "90s", "1h30m" or "24h". Everything that is due
   * happens in order, before the promise resolves.
   *
   * @example
   * await cluster.clock.advance('1h')
   */
  async advance(duration: number | string): Promise<void> {
    const milliseconds = typeof duration === 'number' ? duration : Number(parseDuration(duration)) / 1e6
    if (!(milliseconds >= 0)) throw new RangeError(`the duration is ${duration}; a clock only moves forward`)
    await settle()
    const target = this.now() + milliseconds
    for (;;) {
      const next = this.#findNext()
      if (next === undefined || next.at > target) break
      this.#moveTo(Math.min(target, Math.max(next.at, this.now() + milliseconds / maxSteps)))
      this.#runDueTimers()
      await settle()
    }
    this.#moveTo(target)
    for (const timer of this.#timers) this.#start(timer)
  }

  #findNext(): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) if (next === undefined || timer.at < next.at) next = timer
    return next
  }

  /** Moves the time forward. Time that has passed in the meantime is kept. */
  #moveTo(time: number): void {
    this.#base += Math.max(0, time - this.now())
  }

  #runDueTimers(): void {
    const now = this.now()
    const due = [...this.#timers].filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)
    for (const timer of due) {
      // An earlier call may have cancelled this one.
      if (!this.#timers.delete(timer)) continue
      timer.cancel()
      timer.call()
    }
  }

  /** Starts or restarts the timer of the system that makes a call when no one advances the time. */
  #start(timer: Timer): void {
    timer.cancel()
    if (this.#frozen) return
    const cancel = systemClock.after(
      Math.max(0, timer.at - this.now()),
      () => {
        if (this.#timers.delete(timer)) timer.call()
      },
      timer.options,
    )
    timer.cancel = cancel
  }
}

/** Waits until a change in memory or a timer has reached all watches, informers and controllers that wait for it. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < settleTurns; turn++) await waitForNextTurn()
}
