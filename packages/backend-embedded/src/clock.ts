/** Time as the store sees it, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls once, later. The returned function cancels. Must not keep the process alive. */
  after(milliseconds: number, call: () => void): () => void
}

// Timers take no longer delay than this; a longer wait is taken in pieces.
const maxDelay = 2 ** 31 - 1

export const systemClock: Clock = {
  now: Date.now,
  after(milliseconds, call) {
    const timer = setTimeout(call, Math.min(Math.max(0, milliseconds), maxDelay))
    timer.unref()
    return () => clearTimeout(timer)
  },
}
