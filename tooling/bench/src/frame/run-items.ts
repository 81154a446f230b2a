import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Item, Rounds } from './item.ts'
import type { OpenBench } from './open-bench.ts'
import type { Progress } from './progress.ts'
import type { ReportFile } from './report.ts'
import { formatItemTable } from './report-table.ts'
import { runItem } from './run-item.ts'
import type { ItemResult } from './run-item.ts'

/** Estimated duration of an item of type 'full', which has hundreds of thousands of objects. */
const fullItemMs = 180_000

export interface RunItemsOptions {
  readonly rounds: Rounds
  /** Directory for profiles of each item. */
  readonly profiles?: string | undefined
  /** Maximum duration of the run in minutes. Stops before an item that would exceed it. At least one item is measured. */
  readonly minutes?: number | undefined
  readonly progress: Progress
  readonly print: (text: string) => void
}

/** Number of attempts before a missed bar is final. */
const maxAttempts = 3
/** Time after which no item is measured again. It prevents that repetitions take longer than the run itself. */
const maxRepeatMs = 120_000

/**
 * Measures the items in order and adds the results to the report. A failed item stays in the report's list of remaining items. An item that
 * misses its bar is measured again at the end with twice the rounds, because other load on the machine lasts only a minute or two. Returns
 * the number of failures.
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
    // Assumes that the next item takes as long as the longest item so far.
    if (done > 0 && now + Math.max(longest, item.only === 'full' ? fullItemMs : 0) > until) break
    const earlierResult = report.findResult(item.name)
    if (earlierResult !== undefined) {
      noMoreAgain = Math.min(noMoreAgain, now + maxRepeatMs)
      if (now > noMoreAgain) {
        report.add(item.name, earlierResult)
        continue
      }
    }
    progress.show(done, queue.length, item.name)
    bench.release()
    try {
      const onRound = (text: string): void => progress.show(done, queue.length, `${item.name}, ${text}`)
      if (await runInto(report, item, bench, { ...options, knownItemResult: earlierResult, onRound })) queue.push(item)
    } catch (error) {
      failed++
      progress.printLine(`${item.name} failed: ${String((error as Error).stack ?? error)}`)
    }
    longest = Math.max(longest, performance.now() - now)
  }
  progress.end()
  return failed
}

interface RunIntoOptions extends RunItemsOptions {
  /** Result of the previous attempt, if there was one. */
  readonly knownItemResult: ItemResult | undefined
  readonly onRound: (text: string) => void
}

/** Measures an item and adds the result to the report. Returns whether the item must be measured again. */
async function runInto(
  report: ReportFile,
  item: Item,
  bench: OpenBench,
  { rounds, profiles, progress, print, knownItemResult, onRound }: RunIntoOptions,
): Promise<boolean> {
  const profile = profiles === undefined ? undefined : path.join(profiles, item.name.replaceAll('/', '-'))
  const result = await runItem(item, bench, {
    rounds,
    times: knownItemResult === undefined ? 1 : 2,
    profile,
    onRound: (round, total) => onRound(`round ${round} of ${total}${knownItemResult === undefined ? '' : ', again'}`),
  })
  if (result === undefined) progress.printLine(`left out: ${item.title} (no etcd: set ETCD_BIN)`)
  const before = knownItemResult?.verdict === undefined ? [] : [...(knownItemResult.before ?? []), knownItemResult.verdict]
  const shown = result && before.length > 0 ? { ...result, before } : result
  if (shown !== undefined) print(formatItemTable(shown))
  const again = result?.verdict?.met === false && before.length + 1 < maxAttempts
  report.add(item.name, shown, again)
  return again
}
