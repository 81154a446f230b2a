import { expect, test } from 'vitest'
import { openFixture, prefix } from './cacher.fixture.ts'
import { TurnBudget } from './turn-budget.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('what does not fit into a turn is done in the next ones, in order', async () => {
  let now = 0
  const budget = new TurnBudget(() => now)
  const done: number[] = []
  const work = (i: number): void => {
    if (budget.spent) return budget.wait(() => work(i))
    done.push(i)
    now += 3
  }
  for (let i = 0; i < 7; i++) work(i)
  expect(done).toEqual([0, 1])
  for (const all of [4, 6, 7]) {
    await turn()
    expect(done).toEqual(Array.from({ length: all }, (_, i) => i))
  }
})

test('time that passes between turns costs nothing', async () => {
  let now = 0
  const budget = new TurnBudget(() => now)
  expect(budget.spent).toBe(false)
  await turn()
  now += 1000
  expect(budget.spent).toBe(false)
})

test('who waits without having asked is served in a later turn, too', async () => {
  const budget = new TurnBudget()
  let served = false
  budget.wait(() => (served = true))
  expect(served).toBe(false)
  await turn()
  expect(served).toBe(true)
})

test('hundreds of watches that begin at once leave others their turns', async () => {
  await using fixture = await openFixture()
  for (let i = 0; i < 20; i++) await fixture.put('ns', `p${i}`)
  await fixture.caughtUp()
  const watches = 300
  const stop = new AbortController()
  const opened = await Promise.all(Array.from({ length: watches }, () => fixture.cacher.watch(prefix, { signal: stop.signal })))
  let begun = 0
  let inThisTurn = 0
  let most = 0
  for (const watch of opened) {
    // As long as framing a batch of some size takes.
    void watch.forEach(() => {
      const end = performance.now() + 1
      while (performance.now() < end);
      begun++
      most = Math.max(most, ++inThisTurn)
      return undefined
    })
  }
  while (begun < watches) {
    await turn()
    inThisTurn = 0
  }
  expect(most).toBeLessThan(50)
  stop.abort()
})
