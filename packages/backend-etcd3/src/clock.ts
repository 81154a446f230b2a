/** Time, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls once; the result cancels. `idle`: the process need not stay for it. */
  after(milliseconds: number, call: () => void, idle?: boolean): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, call, idle) {
    const timer = setTimeout(call, milliseconds)
    if (idle) timer.unref()
    return () => clearTimeout(timer)
  },
}
