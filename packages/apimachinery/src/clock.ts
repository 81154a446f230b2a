/** Time as a component sees it. Handed in, so that tests turn it by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Calls once, after at least so long. The returned function cancels. The process does not stay for it unless it is told to. */
  readonly after: (milliseconds: number, call: () => void, options?: TimerOptions) => () => void
}

export interface TimerOptions {
  /** Somebody waits for the outcome: the process stays until the time is over. */
  readonly keepAlive?: boolean
}

// Timers take no longer delay than this; a longer wait is taken in pieces.
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

/** Resolves when the time is over, or at once when the signal aborts; never rejects. */
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
