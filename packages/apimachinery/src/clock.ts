/** A source of time, injected so that tests can control it. */
export interface Clock {
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number
  /** Calls `call` once, after the given time. A time of a minute or more may be rounded up to seconds. Returns a function that cancels the call. By default, the timer does not keep the process alive. */
  readonly after: (milliseconds: number, call: () => void, options?: TimerOptions) => () => void
}

export interface TimerOptions {
  /** True to keep the process alive until the timer fires. Default: false. */
  readonly keepAlive?: boolean
}

// Maximum delay of a Node timer in milliseconds. A longer wait uses several timers.
const maxDelay = 2 ** 31 - 1

/**
 * Delays of at least this length, in milliseconds, are rounded up to seconds. Node keeps a list for each distinct delay until the delay is over,
 * even if all of its timers are canceled. Random delays of several minutes would fill the memory with such lists.
 */
const roundedDelay = 60_000

export const systemClock: Clock = {
  now: Date.now,
  after(milliseconds, call, { keepAlive = false } = {}) {
    let timer: ReturnType<typeof setTimeout>
    const start = (rest: number): void => {
      const delay = Math.min(rest, maxDelay)
      timer = setTimeout(() => (rest > delay ? start(rest - delay) : call()), delay)
      if (!keepAlive) timer.unref()
    }
    start(milliseconds < roundedDelay ? milliseconds : Math.ceil(milliseconds / 1000) * 1000)
    return () => clearTimeout(timer)
  },
}

// Not read on each call: the getter costs more than the clock.
const { timeOrigin } = performance

/** The system clock with fractions of milliseconds. Changes of the system time have no effect, so differences are never negative. */
export const monotonicClock: Clock = { now: () => timeOrigin + performance.now(), after: systemClock.after }

/** Waits for the given time, or until the signal aborts. Never rejects. */
export function pause(clock: Clock, milliseconds: number, options: TimerOptions & { readonly signal?: AbortSignal } = {}): Promise<void> {
  const { signal } = options
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const cancel = clock.after(milliseconds, settle, options)
    signal?.addEventListener('abort', settle, { once: true })
    function settle(): void {
      cancel()
      signal?.removeEventListener('abort', settle)
      resolve()
    }
  })
}
