import { expect, test } from 'vitest'
import type { Figure } from './item.ts'
import { findBusySide, compare, judge } from './judge.ts'
import { computeMedianFigure, computeMedian } from './middle.ts'

const busyServer = { serverCores: 1, clientCores: 0.5 }
const busyClient = { serverCores: 0.6, clientCores: 1 }
const createRate = (value: number, overrides: Partial<Figure> = busyServer): Figure => ({ value, ...overrides })
const createTimes = (...values: readonly number[]): Figure[] => values.map((value) => ({ value }))

test('finds the side that limited the result', () => {
  expect(findBusySide({ value: 1, ...busyServer })).toBe('server')
  expect(findBusySide({ value: 1, ...busyClient })).toBe('client')
  expect(findBusySide({ value: 1, serverCores: 0.95, clientCores: 0.97 })).toBe('client')
  expect(findBusySide({ value: 1, serverCores: 1.4, clientCores: 0.92 })).toBe('server')
  expect(findBusySide({ value: 1, serverCores: 0.5, clientCores: 0.5 })).toBe('neither')
  expect(findBusySide({ value: 1 })).toBeUndefined()
})

test('compares round by round, and uses the median of the ratios', () => {
  const sides = [
    { name: 'ours', rounds: [60, 10, 90].map((n) => createRate(n)) },
    { name: 'bare', rounds: [100, 100, 300].map((n) => createRate(n)) },
  ]
  const judged = { unit: 'requests/s', sides } as const
  expect(judge({ ...judged, bar: { type: 'share', least: 0.3 } })).toEqual({ reached: 0.3, spread: [0.1, 0.6], by: 'value', met: true })
  expect(judge({ ...judged, bar: { type: 'share', least: 0.31 } })?.met).toBe(false)
  expect(judge(judged)).toBeUndefined()
})

test('ignores rounds with a busy client', () => {
  const ours = [createRate(90), createRate(10, busyClient)]
  const bare = [createRate(100), createRate(100)]
  expect(compare('requests/s', ours, bare)).toMatchObject({ reached: 0.9, by: 'value' })
})

test("compares the server's processor time per response if the client was the bottleneck in all rounds", () => {
  const ours = [createRate(100, { ...busyClient, serverCpu: 2 }), createRate(100, { ...busyClient, serverCpu: 4 })]
  const bare = [createRate(100, { ...busyClient, serverCpu: 1 }), createRate(100, { ...busyClient, serverCpu: 1 })]
  expect(compare('requests/s', ours, bare)).toMatchObject({ reached: 0.375, by: 'processor time' })
  // Without processor times, the rates are compared.
  expect(compare('requests/s', [createRate(50, {})], [createRate(100, {})])).toMatchObject({ reached: 0.5, by: 'value' })
})

test('counts a shorter time as better', () => {
  expect(compare('ms', createTimes(2), createTimes(1)).reached).toBe(0.5)
  const sides = [{ name: 'ours', rounds: createTimes(2, 3, 1) }]
  expect(judge({ unit: 's', sides, bar: { type: 'most', value: 2 } })?.met).toBe(true)
  expect(judge({ unit: 's', sides, bar: { type: 'most', value: 1.9 } })?.met).toBe(false)
  expect(judge({ unit: 'requests/s', sides, bar: { type: 'least', value: 2 } })?.met).toBe(true)
})

test('computes the ratio of two sides from the same round', () => {
  const sides = [
    { name: '1,000', rounds: createTimes(1, 1, 1) },
    { name: '10,000', rounds: createTimes(1, 2, 1) },
    { name: '100,000', rounds: createTimes(1.2, 2.6, 1.4) },
  ]
  const verdict = judge({ unit: 'ms', sides, bar: { type: 'ratio', of: '100,000', to: '10,000', maximum: 1.3 } })
  expect(verdict).toMatchObject({ reached: 1.3, met: true })
  expect(judge({ unit: 'ms', sides, bar: { type: 'ratio', of: '100,000', to: '1,000', maximum: 1.3 } })?.met).toBe(false)
})

test('computes the median', () => {
  expect(computeMedian([3, 1, 2])).toBe(2)
  expect(computeMedian([4, 1, 2, 3])).toBe(2.5)
  expect(computeMedianFigure([{ value: 1, p50: 5 }, { value: 3 }, { value: 2 }])).toEqual({ value: 2, p50: 5 })
})
