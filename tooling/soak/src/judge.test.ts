import { expect, test } from 'vitest'
import { judgeSoak, limits } from './judge.ts'
import type { PartResult } from './run-part.ts'

const megabyte = 2 ** 20
const good: PartResult = {
  seconds: 181,
  requests: 50_000,
  omitted: 0,
  outcomes: { get: { done: 950, skipped: 50, failed: 0 }, 'delete batch': { done: 1, skipped: 1, failed: 0 } },
  events: 100_000,
  readP99: 5,
  lagP99: 10,
  longestGap: 30,
  heap: 60 * megabyte,
  rss: 200 * megabyte,
  problems: [],
}

test('accepts parts within the limits', () => {
  expect(judgeSoak(Array.from({ length: 10 }, () => good))).toEqual([])
})

test.each<[string, Partial<PartResult>]>([
  ['p99 of GET', { readP99: limits.readP99 + 1 }],
  ['p99 of the watch lag', { lagP99: limits.lagP99 + 1 }],
  ['gap', { longestGap: limits.gap + 1 }],
  ['left out', { omitted: 1000 }],
  ['"delete batch" were skipped', { outcomes: { 'delete batch': { done: 44, skipped: 10, failed: 0 } } }],
  ['"get" failed', { outcomes: { get: { done: 1000, skipped: 0, failed: 1 } } }],
  ['500', { problems: ['a request returned 500'] }],
])('reports a part with a bad value: %s', (text, change) => {
  expect(judgeSoak([good, { ...good, ...change }])).toEqual([expect.stringMatching(new RegExp(`^part 2: .*${text}`))])
})

test('reports memory that grows after the warm-up only', () => {
  const createGrowing = (kind: 'heap' | 'rss', step: number): PartResult[] =>
    Array.from({ length: 10 }, (_, n) => ({ ...good, [kind]: good[kind] + n * step * megabyte }))
  expect(judgeSoak(createGrowing('heap', 2))).toEqual([expect.stringMatching(/^the heap grew from 62\.0 MB to 78\.0 MB$/)])
  expect(judgeSoak(createGrowing('rss', 5))).toEqual([expect.stringMatching(/^the rss grew/)])
  expect(judgeSoak(createGrowing('heap', 20).slice(0, 2))).toEqual([])
})
