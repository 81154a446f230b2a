/** A clock that stands still until it is moved. */
export interface ManualClock {
  now(): number
  after(milliseconds: number, call: () => void): () => void
  /** Moves on, calling what falls due on the way, in order. */
  advance(milliseconds: number): void
}

export function createManualClock(start = 1_700_000_000_000): ManualClock {
  let now = start
  const timers = new Set<{ readonly at: number; readonly call: () => void }>()
  return {
    now: () => now,
    after(milliseconds, call) {
      const timer = { at: now + Math.max(0, milliseconds), call }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(milliseconds) {
      const until = now + milliseconds
      for (;;) {
        let next: { readonly at: number; readonly call: () => void } | undefined
        for (const timer of timers) if (timer.at <= until && (!next || timer.at < next.at)) next = timer
        if (!next) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.call()
      }
      now = until
    },
  }
}
