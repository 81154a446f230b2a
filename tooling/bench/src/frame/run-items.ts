import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Item } from './item.ts'
import type { OpenBench } from './open-bench.ts'
import type { Progress } from './progress.ts'
import type { ReportFile } from './report.ts'
import { itemTable } from './report-table.ts'
import { runItem } from './run-item.ts'

/** What one that fills stores with hundreds of thousands of objects may take. */
const fullItemMs = 180_000

export interface RunItemsOptions {
  readonly rounds: number
  /** Profiles of each item go there. */
  readonly profiles?: string | undefined
  /** No item is begun that would not be done after so many minutes, but the first. */
  readonly minutes?: number | undefined
  readonly progress: Progress
  readonly print: (text: string) => void
}

/** Item by item into the report. One that fails is said so and stays among those that are left; resolves to their number. */
export async function runItems(items: readonly Item[], bench: OpenBench, report: ReportFile, options: RunItemsOptions): Promise<number> {
  const { rounds, profiles, minutes = Infinity, progress, print } = options
  const until = performance.now() + minutes * 60_000
  if (profiles !== undefined) mkdirSync(profiles, { recursive: true })
  let failed = 0
  let longest = 0
  for (const [done, item] of items.entries()) {
    const now = performance.now()
    // As long as the longest so far.
    if (done > 0 && now + Math.max(longest, item.only === 'full' ? fullItemMs : 0) > until) break
    progress.show(done, item.name)
    bench.release()
    const profile = profiles === undefined ? undefined : path.join(profiles, item.name.replaceAll('/', '-'))
    try {
      const onRound = (round: number, all: number): void => progress.show(done, `${item.name}, round ${round} of ${all}`)
      const result = await runItem(item, bench, { rounds, profile, onRound })
      if (result === undefined) progress.say(`left out: ${item.title} (no etcd: set ETCD_BIN)`)
      else print(itemTable(result))
      report.add(item.name, result)
    } catch (error) {
      failed++
      progress.say(`${item.name} failed: ${String((error as Error).stack ?? error)}`)
    }
    longest = Math.max(longest, performance.now() - now)
  }
  progress.end()
  return failed
}
