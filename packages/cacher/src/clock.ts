/** Time as the cacher sees it. Tests turn it by hand. */
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

/** Lets other work on this thread run before going on. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
