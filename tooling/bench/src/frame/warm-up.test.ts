import { expect, test } from 'vitest'
import { warmUntilSteady } from './warm-up.ts'
import type { WarmUp } from './warm-up.ts'

/**
 * Simulates the warm-up of a server whose steps have the given costs. The last cost repeats. Each step takes a second and has 100
 * responses.
 */
function runWarmUp(costs: readonly number[], { minRequests = 0, maxSeconds = 100 } = {}): Promise<WarmUp> {
  let n = 0
  const step = async (): Promise<{ seconds: number; requests: number; rate: number; cost: number }> => {
    const cost = costs[Math.min(n++, costs.length - 1)]!
    return { seconds: 1, requests: 100, rate: 1 / cost, cost }
  }
  return warmUntilSteady(step, { minRequests, maxSeconds })
}

test('ends after two steps without improvement', async () => {
  expect(await runWarmUp([8])).toEqual({
    seconds: 3,
    requests: 300,
    rates: [1 / 8, 1 / 8, 1 / 8],
    steadyAfter: { seconds: 1, requests: 100 },
    steady: true,
  })
  expect(await runWarmUp([8, 4, 2, 2, 1])).toMatchObject({ seconds: 7, steadyAfter: { seconds: 5 } })
  expect(await runWarmUp([8, 4, 5, 4.5, 2])).toMatchObject({ seconds: 4, steadyAfter: { seconds: 2 } })
})

test('ignores improvements of less than 5 %, unless several of them add up to more', async () => {
  expect((await runWarmUp([100, 97, 96])).seconds).toBe(3)
  expect((await runWarmUp([100, 96, 93, 90, 87, 87])).seconds).toBeGreaterThan(5)
})

test('continues until there are enough responses, and ends at the time limit', async () => {
  expect(await runWarmUp([8], { minRequests: 1000 })).toMatchObject({ seconds: 10, steady: true })
  const falling = Array.from({ length: 50 }, (_, i) => 0.5 ** i)
  expect(await runWarmUp(falling, { maxSeconds: 6 })).toMatchObject({ seconds: 6, steady: false })
})
