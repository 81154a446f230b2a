import { setTimeout as wait } from 'node:timers/promises'
import type { LoadContext, Operation, Outcome } from './operations.ts'
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

/** Numbers of started operations of one name, by outcome. */
export type OutcomeCounts = Record<Outcome | 'failed', number>

export interface LoadResult {
  /** Number of operations that were not started, because too many ran. */
  readonly omitted: number
  readonly outcomes: Readonly<Record<string, OutcomeCounts>>
}

/** Sends all operations at their rates for some seconds. Resolves when they have completed. */
export async function runLoad({ context, url, seconds, rate }: LoadOptions): Promise<LoadResult> {
  const { tally, random } = context
  const shortWatch: Operation = { name: 'short watch', rate: shortWatchRate, run: () => runShortWatch({ url, tally, random }) }
  const due = [...operations, shortWatch].map((operation) => ({ operation, owed: 0, counts: { done: 0, skipped: 0, failed: 0 } }))
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
        else start(entry)
      }
    }
    await wait(tickMs)
  }
  while (running.size > 0) await Promise.all(running)
  return { omitted, outcomes: Object.fromEntries(due.map(({ operation, counts }) => [operation.name, counts])) }

  function start({ operation, counts }: { readonly operation: Operation; readonly counts: OutcomeCounts }): void {
    const run = operation
      .run(context)
      .then(
        (outcome) => void counts[outcome]++,
        (error: unknown) => {
          counts.failed++
          tally.report(`${operation.name}: ${error instanceof Error ? error.message : String(error)}`)
        },
      )
      .finally(() => running.delete(run))
    running.add(run)
  }
}
