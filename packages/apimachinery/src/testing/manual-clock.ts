import type { Clock } from '../clock.ts'

/** A clock whose time changes only when a test advances it. */
export interface ManualClock extends Clock {
  /** Advances the time and runs the due calls in the order of their times. */
  advance(milliseconds: number): void
  /** Advances the time and waits for pending promises after each due call. */
  pass(milliseconds: number): Promise<void>
}

export function createManualClock(start = 1_700_000_000_000): ManualClock {
  let now = start
  const timers = new Set<{ readonly at: number; readonly call: () => void }>()
  function* yieldDueCalls(until: number): Generator<() => void> {
    for (;;) {
      let next: { readonly at: number; readonly call: () => void } | undefined
      for (const timer of timers) if (timer.at <= until && (!next || timer.at < next.at)) next = timer
      if (!next) break
      timers.delete(next)
      now = Math.max(now, next.at)
      yield next.call
    }
    now = until
  }
  return {
    now: () => now,
    after(milliseconds, call) {
      const timer = { at: now + Math.max(0, milliseconds), call }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(milliseconds) {
      for (const call of yieldDueCalls(now + milliseconds)) call()
    },
    async pass(milliseconds) {
      await settle()
      for (const call of yieldDueCalls(now + milliseconds)) {
        call()
        await settle()
      }
    },
  }
}

/** Waits until promises that need no timer are settled. `turns` is the number of event loop turns. */
export async function settle(turns = 5): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
}
