/** A source of time, injected so that tests can control it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /**
   * Calls `call` once, after the given time. Returns a function that cancels the call. The timer does not keep the process alive unless
   * requested.
   */
  readonly after: (milliseconds: number, call: () => void, options?: TimerOptions) => () => void
}

export interface TimerOptions {
  /** Keeps the process alive until the timer fires. */
  readonly keepAlive?: boolean
}

// The maximum delay of a timer; longer waits are split.
const maxDelay = 2 ** 31 - 1

export const systemClock: Clock = {
  now: Date.now,
  after(milliseconds, call, { keepAlive = false } = {}) {
    let timer: ReturnType<typeof setTimeout>
    const start = (rest: number): void => {
      const delay = Math.min(rest, maxDelay)
      timer = setTimeout(() => (rest > delay ? start(rest - delay) : call()), delay)
      if (!keepAlive) timer.unref()
    }
    start(milliseconds)
    return () => clearTimeout(timer)
  },
}

/** Resolves after the given time, or immediately when the signal aborts; never rejects. */
export function pause(clock: Clock, milliseconds: number, options: TimerOptions & { readonly signal?: AbortSignal } = {}): Promise<void> {
  const { signal } = options
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const cancel = clock.after(milliseconds, done, options)
    signal?.addEventListener('abort', done, { once: true })
    function done(): void {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
  })
}
