import { expect, test } from 'vitest'
import { compareItems } from './compare-items.ts'
import type { Item, Side } from './item.ts'
import type { OpenBench } from './open-bench.ts'
import { createProgress } from './progress.ts'

const bench = { seconds: 1, release() {}, async stop() {} } as unknown as OpenBench
const progress = createProgress({ write: () => true } as unknown as NodeJS.WriteStream)

/** Creates an item whose first side has the given rates, one per round. The base side always has the rate 100. */
function createPlantedItem(rates: readonly number[]): Item {
  let round = -2
  return {
    name: 'http/planted',
    title: '',
    unit: 'requests/s',
    open: async () => ({
      sides: [
        { name: 'keelson', measure: async () => ({ value: rates[Math.max(0, ++round) % rates.length]! }) },
        { name: 'base', measure: async () => ({ value: 100 }) },
      ],
    }),
  }
}

test('reports an item that is always slower, but not an item that is slower for a few rounds', async () => {
  const printed: string[] = []
  const run = (item: Item): Promise<readonly string[]> =>
    compareItems([item], bench, { rounds: { withBar: 3, without: 3 }, processes: 1, progress, print: (line) => printed.push(line) })
  expect(await run(createPlantedItem([80]))).toEqual(['http/planted'])
  expect(printed.at(-1)).toContain('80 % of the base')
  expect(await run(createPlantedItem([90]))).toEqual([])
  expect(await run(createPlantedItem([50, 50, 50, 100, 100, 100, 100, 100, 100, 100]))).toEqual([])
})

test('uses the rounds of all pairs of processes, and alternates which side is measured first', async () => {
  const order: string[] = []
  let pair = 0
  const item: Item = {
    name: 'http/planted',
    title: '',
    unit: 'requests/s',
    open: async () => {
      const rate = [100, 70, 100][pair++]!
      const createSide = (name: string, value: number): Side => ({ name, measure: async () => (order.push(name), { value }) })
      return { sides: [createSide('keelson', rate), createSide('base', 100)] }
    },
  }
  const printed: string[] = []
  const options = { rounds: { withBar: 1, without: 1 }, processes: 3, progress, print: (line: string) => printed.push(line) }
  expect(await compareItems([item], bench, options)).toEqual([])
  expect(printed.at(-1)).toContain('100 % of the base')
  expect(order).toEqual(['keelson', 'base', 'base', 'keelson', 'keelson', 'base'])
})
