import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Item, Rounds } from './item.ts'
import type { OpenBench } from './open-bench.ts'
import type { Progress } from './progress.ts'
import type { ReportFile } from './report.ts'
import { itemTable } from './report-table.ts'
import { runItem } from './run-item.ts'
import type { ItemResult } from './run-item.ts'

/** What one that fills stores with hundreds of thousands of objects may take. */
const fullItemMs = 180_000

export interface RunItemsOptions {
  readonly rounds: Rounds
  /** Profiles of each item go there. */
  readonly profiles?: string | undefined
  /** No item is begun that would not be done after so many minutes, but the first. */
  readonly minutes?: number | undefined
  readonly progress: Progress
  readonly print: (text: string) => void
}

/** A bar that was missed so often is. */
const mostTimes = 3
/** What is measured again must not take as long as all the rest; nothing of it is begun after so long. */
const mostAgainMs = 120_000

/**
 * Item by item into the report. One that fails is said so and stays among those that are left. One that misses its bar is measured again at the end,
 * twice as often, before that is believed: what else the machine does goes on for a minute or two. Resolves to how many failed.
 */
export async function runItems(items: readonly Item[], bench: OpenBench, report: ReportFile, options: RunItemsOptions): Promise<number> {
  const { profiles, minutes = Infinity, progress } = options
  const until = performance.now() + minutes * 60_000
  if (profiles !== undefined) mkdirSync(profiles, { recursive: true })
  let failed = 0
  let longest = 0
  let noMoreAgain = Infinity
  const queue = [...items]
  for (const [done, item] of queue.entries()) {
    const now = performance.now()
    // As long as the longest so far.
    if (done > 0 && now + Math.max(longest, item.only === 'full' ? fullItemMs : 0) > until) break
    const known = report.resultOf(item.name)
    if (known !== undefined) {
      noMoreAgain = Math.min(noMoreAgain, now + mostAgainMs)
      if (now > noMoreAgain) {
        report.add(item.name, known)
        continue
      }
    }
    progress.show(done, queue.length, item.name)
    bench.release()
    try {
      const onRound = (text: string): void => progress.show(done, queue.length, `${item.name}, ${text}`)
      if (await runInto(report, item, bench, { ...options, known, onRound })) queue.push(item)
    } catch (error) {
      failed++
      progress.say(`${item.name} failed: ${String((error as Error).stack ?? error)}`)
    }
    longest = Math.max(longest, performance.now() - now)
  }
  progress.end()
  return failed
}

interface RunIntoOptions extends RunItemsOptions {
  /** Of the time before. */
  readonly known: ItemResult | undefined
  readonly onRound: (text: string) => void
}

/** Resolves to whether it has to be measured again. */
async function runInto(
  report: ReportFile,
  item: Item,
  bench: OpenBench,
  { rounds, profiles, progress, print, known, onRound }: RunIntoOptions,
): Promise<boolean> {
  const profile = profiles === undefined ? undefined : path.join(profiles, item.name.replaceAll('/', '-'))
  const result = await runItem(item, bench, {
    rounds,
    times: known === undefined ? 1 : 2,
    profile,
    onRound: (round, all) => onRound(`round ${round} of ${all}${known === undefined ? '' : ', again'}`),
  })
  if (result === undefined) progress.say(`left out: ${item.title} (no etcd: set ETCD_BIN)`)
  const before = known?.verdict === undefined ? [] : [...(known.before ?? []), known.verdict]
  const shown = result && before.length > 0 ? { ...result, before } : result
  if (shown !== undefined) print(itemTable(shown))
  const again = result?.verdict?.met === false && before.length + 1 < mostTimes
  report.add(item.name, shown, again)
  return again
}
