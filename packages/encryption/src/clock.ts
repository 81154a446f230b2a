/** Time as this package sees it. Tests turn it by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls once, later. The returned function cancels. Must not keep the process alive. */
  after(milliseconds: number, call: () => void): () => void
}

export const systemClock: Clock = {
  now: Date.now,
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
