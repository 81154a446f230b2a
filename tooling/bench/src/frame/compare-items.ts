import type { Item, Rounds } from './item.ts'
import type { OpenBench } from './open-bench.ts'
import { number, percent } from './figure-text.ts'
import type { Progress } from './progress.ts'
import { compareWithBase } from './regression.ts'
import type { Comparison } from './regression.ts'
import { runItem } from './run-item.ts'
import type { ItemResult } from './run-item.ts'

export const baseSide = 'base'

/** Every item on both revisions in turns. One that got worse is measured once more, twice as often, before it is believed. Resolves to their names. */
export async function compareItems(
  items: readonly Item[],
  bench: OpenBench,
  { rounds, progress, print }: { readonly rounds: Rounds; readonly progress: Progress; readonly print: (text: string) => void },
): Promise<readonly string[]> {
  const regressed: string[] = []
  for (const [done, item] of items.entries()) {
    progress.show(done, items.length, item.name)
    bench.release()
    let result = await runItem(item, bench, { rounds })
    let comparison = result === undefined ? undefined : comparisonOf(result)
    if (comparison?.regressed === true) {
      progress.show(done, items.length, `${item.name}, once more`)
      result = await runItem(item, bench, { rounds, times: 2 })
      comparison = comparisonOf(result!)
    }
    if (comparison === undefined) continue
    if (comparison.regressed) regressed.push(item.name)
    print(`${item.name.padEnd(24)} ${lineOf(comparison)}`)
  }
  progress.end()
  return regressed
}

function comparisonOf({ unit, sides }: ItemResult): Comparison {
  return compareWithBase(unit, sides[0]!.rounds, sides.find(({ name }) => name === baseSide)!.rounds)
}

function lineOf({ value, cost, regressed }: Comparison): string {
  const byCost = cost === undefined ? '' : `, ${number(1 / cost)} × of its processor time for each`
  return `${percent(value)} of the base's speed${byCost}${regressed ? ': WORSE' : ''}`
}
