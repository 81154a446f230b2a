import { setTimeout as wait } from 'node:timers/promises'
import type { LoadContext, Operation } from './operations.ts'
import { operations } from './operations.ts'
import { runShortWatch } from './watches.ts'

const tickMs = 10
const maxRunning = 200
const shortWatchRate = 2

export interface LoadOptions {
  readonly context: LoadContext
  readonly url: string
  readonly seconds: number
  /** Share of the full rate. */
  readonly rate: number
}

/** Sends all operations at their rates for some seconds. Resolves when they have completed. Returns the number of operations that were left out. */
export async function runLoad({ context, url, seconds, rate }: LoadOptions): Promise<number> {
  const { tally, random } = context
  const shortWatch: Operation = { name: 'short watch', rate: shortWatchRate, run: () => runShortWatch({ url, tally, random }) }
  const due = [...operations, shortWatch].map((operation) => ({ operation, owed: 0 }))
  const running = new Set<Promise<void>>()
  let omitted = 0
  const endTime = performance.now() + seconds * 1000
  for (let last = performance.now(), now = last; now < endTime; now = performance.now()) {
    const elapsed = (now - last) / 1000
    last = now
    for (const entry of due) {
      entry.owed += entry.operation.rate * rate * elapsed
      for (; entry.owed >= 1; entry.owed--) {
        if (running.size >= maxRunning) omitted++
        else start(entry.operation)
      }
    }
    await wait(tickMs)
  }
  while (running.size > 0) await Promise.all(running)
  return omitted

  function start(operation: Operation): void {
    const run = operation
      .run(context)
      .catch((error: unknown) => tally.report(`${operation.name}: ${error instanceof Error ? error.message : String(error)}`))
      .finally(() => running.delete(run))
    running.add(run)
  }
}
