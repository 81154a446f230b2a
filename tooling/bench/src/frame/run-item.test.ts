import { expect, test } from 'vitest'
import type { Bench } from './bench.ts'
import type { Item, Side } from './item.ts'
import { runItem } from './run-item.ts'
import type { WarmUp } from './warm-up.ts'

const bench = { seconds: 2 } as Bench
const once = { withBar: 1, without: 1 }
const twice = { withBar: 2, without: 2 }

function createItem(sides: readonly Side[], overrides: Partial<Item> = {}): Item {
  return { name: 'a/b', title: 'b', unit: 'requests/s', bar: { type: 'share', least: 0.5 }, open: async () => ({ sides }), ...overrides }
}

function createRecordedSides(names: readonly string[]): { readonly sides: readonly Side[]; readonly calls: string[] } {
  const calls: string[] = []
  const sides = names.map((name, i) => ({
    name,
    async measure(seconds: number) {
      calls.push(`${name} ${seconds}`)
      return { value: 60 * (i + 1), serverCores: 1, clientCores: 0.1 }
    },
    async measureLatency(rate: number) {
      calls.push(`${name} at ${rate}`)
      return { rate, p50: 1, p99: 2 }
    },
  }))
  return { sides, calls }
}

test('warms up, measures the sides in turns, then measures the first side at a fixed rate', async () => {
  const { sides, calls } = createRecordedSides(['ours', 'bare'])
  const result = await runItem(createItem(sides), bench, { rounds: twice })
  expect(calls).toEqual(['ours 1', 'bare 1', 'ours 2', 'bare 2', 'bare 2', 'ours 2', 'ours at 36'])
  expect(result?.verdict).toMatchObject({ reached: 0.5, met: true })
  expect(result?.sides.map(({ rounds, latency }) => [rounds.length, latency?.rate])).toEqual([
    [2, 36],
    [2, undefined],
  ])
})

test('calls the warm-up of a side instead of the default one', async () => {
  const { sides, calls } = createRecordedSides(['ours'])
  const warm = { seconds: 3, requests: 9, rates: [1, 4, 4], steadyAfter: { seconds: 2, requests: 5 }, steady: true }
  const warmUp = async (): Promise<WarmUp> => {
    calls.push('warm')
    return warm
  }
  const close = (): void => void calls.push('closed')
  const result = await runItem(createItem([{ ...sides[0]!, warmUp, close }]), bench, { rounds: twice })
  expect(calls).toEqual(['warm', 'ours 2', 'ours 2', 'ours at 36', 'closed'])
  expect(result?.sides[0]?.warmUp).toEqual(warm)
})

test('supports items that limit their rounds, set their bar when opened, or cannot run on this machine', async () => {
  const { sides, calls } = createRecordedSides(['ours'])
  const bar = { type: 'least', value: 61 } as const
  const result = await runItem(createItem([], { rounds: 1, open: async () => ({ sides, bar }) }), bench, {
    rounds: { withBar: 3, without: 3 },
  })
  expect(calls).toEqual(['ours 2', 'ours at 36'])
  expect(result).toMatchObject({ bar, verdict: { met: false } })
  expect(await runItem(createItem([], { open: async () => undefined }), bench, { rounds: { withBar: 3, without: 3 } })).toBeUndefined()
})

test("disposes of an item's resources, even after a failure", async () => {
  let open = 0
  const item = createItem([], {
    async open(_, stack) {
      open++
      stack.defer(() => void open--)
      return { sides: [{ name: 'ours', measure: () => Promise.reject(new Error('broken')) }] }
    },
  })
  await expect(runItem(item, bench, { rounds: once })).rejects.toThrow('broken')
  expect(open).toBe(0)
})

test('runs fewer rounds for an item without a bar, and more rounds for a repetition', async () => {
  const rounds = { withBar: 3, without: 2 }
  const readCount = async (overrides: Partial<Item>, times?: number): Promise<number | undefined> => {
    const { sides } = createRecordedSides(['ours'])
    const { bar: _, ...plain } = createItem(sides)
    return (await runItem({ ...plain, ...overrides }, bench, { rounds, ...(times && { times }) }))?.sides[0]?.rounds.length
  }
  const bar = { type: 'least', value: 1 } as const
  expect(await readCount({})).toBe(2)
  expect(await readCount({ bar })).toBe(3)
  expect(await readCount({ bar, rounds: 2 })).toBe(2)
  expect(await readCount({ bar, rounds: 2 }, 2)).toBe(4)
  expect(await readCount({ bar, rounds: 1 }, 2)).toBe(1)
})
