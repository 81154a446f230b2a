import { expect, test } from 'vitest'
import { openFixture, prefix } from './cacher.fixture.ts'
import { TurnBudget } from './turn-budget.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('work that does not fit into one turn of the event loop runs in the next turns, in order', async () => {
  let now = 0
  const budget = new TurnBudget(() => now)
  const finished: number[] = []
  const runWork = (i: number): void => {
    if (budget.isSpent) return budget.wait(() => runWork(i))
    finished.push(i)
    now += 3
  }
  for (let i = 0; i < 7; i++) runWork(i)
  expect(finished).toEqual([0, 1])
  for (const total of [4, 6, 7]) {
    await turn()
    expect(finished).toEqual(Array.from({ length: total }, (_, i) => i))
  }
})

test('the time between two turns is not counted', async () => {
  let now = 0
  const budget = new TurnBudget(() => now)
  expect(budget.isSpent).toBe(false)
  await turn()
  now += 1000
  expect(budget.isSpent).toBe(false)
})

test('work that calls wait without checking isSpent runs in a later turn', async () => {
  const budget = new TurnBudget()
  let hasRun = false
  budget.wait(() => (hasRun = true))
  expect(hasRun).toBe(false)
  await turn()
  expect(hasRun).toBe(true)
})

test('hundreds of watches that start at once let other work run', async () => {
  await using fixture = await openFixture()
  for (let i = 0; i < 20; i++) await fixture.put('ns', `p${i}`)
  await fixture.waitUntilCurrent()
  const watches = 300
  const stop = new AbortController()
  const openWatches = await Promise.all(Array.from({ length: watches }, () => fixture.cacher.watch(prefix, { signal: stop.signal })))
  let started = 0
  let inThisTurn = 0
  let maxPerTurn = 0
  for (const watch of openWatches) {
    // Reading an event takes about as long here as encoding a batch.
    void watch.forEach(() => {
      const end = performance.now() + 1
      while (performance.now() < end);
      started++
      maxPerTurn = Math.max(maxPerTurn, ++inThisTurn)
      return undefined
    })
  }
  while (started < watches) {
    await turn()
    inThisTurn = 0
  }
  expect(maxPerTurn).toBeLessThan(50)
  stop.abort()
})
