import { expect, test } from 'vitest'
import { warmUntilSteady } from './warm-up.ts'
import type { WarmUp } from './warm-up.ts'

/** A server whose answers cost this, second by second, the last for ever; a hundred of them in each. */
function warmed(costs: readonly number[], { leastRequests = 0, mostSeconds = 100 } = {}): Promise<WarmUp> {
  let n = 0
  const step = async (): Promise<{ seconds: number; requests: number; rate: number; cost: number }> => {
    const cost = costs[Math.min(n++, costs.length - 1)]!
    return { seconds: 1, requests: 100, rate: 1 / cost, cost }
  }
  return warmUntilSteady(step, { leastRequests, mostSeconds })
}

test('it ends when answers got no cheaper twice in turn', async () => {
  expect(await warmed([8])).toEqual({
    seconds: 3,
    requests: 300,
    rates: [1 / 8, 1 / 8, 1 / 8],
    steadyAfter: { seconds: 1, requests: 100 },
    steady: true,
  })
  expect(await warmed([8, 4, 2, 2, 1])).toMatchObject({ seconds: 7, steadyAfter: { seconds: 5 } })
  expect(await warmed([8, 4, 5, 4.5, 2])).toMatchObject({ seconds: 4, steadyAfter: { seconds: 2 } })
})

test('less than a twentieth is no improvement, but many of them are', async () => {
  expect((await warmed([100, 97, 96])).seconds).toBe(3)
  expect((await warmed([100, 96, 93, 90, 87, 87])).seconds).toBeGreaterThan(5)
})

test('it goes on until enough was answered, and ends when there is no more time', async () => {
  expect(await warmed([8], { leastRequests: 1000 })).toMatchObject({ seconds: 10, steady: true })
  const falling = Array.from({ length: 50 }, (_, i) => 0.5 ** i)
  expect(await warmed(falling, { mostSeconds: 6 })).toMatchObject({ seconds: 6, steady: false })
})
