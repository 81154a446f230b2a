/** Time, as informers and controllers see it. Tests turn it by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls back once after at least `milliseconds`; the returned function cancels. Never keeps a process alive. */
  schedule(milliseconds: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Resolves when the time is over, or at once when the signal aborts; never rejects. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const cancel = clock.schedule(milliseconds, done)
    signal.addEventListener('abort', done, { once: true })
    function done(): void {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}
