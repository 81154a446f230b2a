import { expect, test } from 'vitest'
import { Lifecycle, countRequest } from './wait-group.ts'
import { openTestExchange } from './exchange.fixture.ts'

test('counts a request until its end', async () => {
  const lifecycle = new Lifecycle()
  const { exchange } = openTestExchange()
  await countRequest(lifecycle)(exchange)
  expect(lifecycle.active).toBe(1)
  exchange.end()
  exchange.end()
  expect(lifecycle.active).toBe(0)
})

test('the ends of watches are spread over the grace period, with at least 200 a second', () => {
  const computeDelays = (watches: number, graceMs: number): number[] => {
    const lifecycle = new Lifecycle(graceMs)
    for (let i = 0; i < watches; i++) lifecycle.enter(true)
    return Array.from({ length: watches }, () => lifecycle.delayWatchEnd())
  }
  expect(computeDelays(3, 0)).toEqual([0, 0, 0])
  expect(computeDelays(3, 60_000)).toEqual([0, 5, 10])
  const many = computeDelays(10_000, 10_000)
  expect(many[5000]).toBe(5000)
  expect(many.at(-1)).toBeLessThan(10_000)
})
