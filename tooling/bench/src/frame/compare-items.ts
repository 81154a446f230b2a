import type { Figure, Item, Rounds } from './item.ts'
import type { OpenBench } from './open-bench.ts'
import { number, formatPercent } from './figure-text.ts'
import type { Progress } from './progress.ts'
import { compareWithBase } from './regression.ts'
import type { Comparison } from './regression.ts'
import { runItem } from './run-item.ts'
import type { ItemResult } from './run-item.ts'

export const baseSide = 'base'

export interface CompareOptions {
  readonly rounds: Rounds
  /**
   * Number of pairs of server processes per item. All rounds are measured on each pair. Results of two processes of the same program differ
   * by a few percent, because compiled code and memory layout differ. More rounds on one pair do not remove this difference.
   */
  readonly processes: number
  readonly progress: Progress
  readonly print: (text: string) => void
}

/**
 * Measures every item on both revisions in turns. If the newer revision is slower, measures the item again with twice as many rounds.
 * Returns the names of items that are slower in both measurements.
 */
export async function compareItems(items: readonly Item[], bench: OpenBench, options: CompareOptions): Promise<readonly string[]> {
  const { progress, print } = options
  const regressed: string[] = []
  for (const [done, item] of items.entries()) {
    progress.show(done, items.length, item.name)
    let comparison = await openComparison(item, bench, options, 1)
    if (comparison?.regressed === true) {
      progress.show(done, items.length, `${item.name}, once more`)
      comparison = await openComparison(item, bench, options, 2)
    }
    if (comparison === undefined) continue
    if (comparison.regressed) regressed.push(item.name)
    print(`${item.name.padEnd(24)} ${formatLine(comparison)}`)
  }
  progress.end()
  return regressed
}

/** Measures one item on one pair of processes. Returns undefined if the item cannot be measured on this machine. */
async function openComparison(
  item: Item,
  bench: OpenBench,
  { rounds, processes }: CompareOptions,
  times: number,
): Promise<Comparison | undefined> {
  const results: ItemResult[] = []
  for (let pair = 0; pair < processes; pair++) {
    if (processes > 1) await bench.stop()
    else bench.release()
    const result = await runItem(item, bench, { rounds, times, lastFirst: pair % 2 === 1 })
    if (result === undefined) return undefined
    results.push(result)
  }
  const measureFigures = (name: string): Figure[] => results.flatMap(({ sides }) => sides.find((side) => side.name === name)!.rounds)
  return compareWithBase(item.unit, measureFigures(results[0]!.sides[0]!.name), measureFigures(baseSide))
}

function formatLine({ value, cost, regressed }: Comparison): string {
  const byCost = cost === undefined ? '' : `, ${number(1 / cost)} × of its processor time for each`
  return `${formatPercent(value)} of the base's speed${byCost}${regressed ? ': WORSE' : ''}`
}
