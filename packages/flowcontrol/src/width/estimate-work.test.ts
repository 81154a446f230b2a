import { createResourceAction } from '@keelson/apimachinery'
import { parseQuery, parseRequestInfo, parseTarget } from '@keelson/exchange'
import { describe, expect, test } from 'vitest'
import { estimateWork } from './estimate-work.ts'
import { staleStats } from './list-seats.ts'
import type { ObjectStats } from './list-seats.ts'
import { WatchCounts } from './watch-counts.ts'

const thousand: ObjectStats = { objectCount: 1000, estimatedAverageObjectSize: 2000 }

function estimate(
  url: string,
  options: { readonly method?: string; readonly stats?: ObjectStats; readonly mostSeats?: number } = {},
): number {
  const { method = 'GET', stats, mostSeats = 0 } = options
  const target = parseTarget(url)
  const query = parseQuery(target.query)
  const attributes = parseRequestInfo(method, target, query)
  const level = { mostSeats, observeWatches: () => {} }
  return estimateWork({ attributes, query }, level, { findStats: () => stats, watches: new WatchCounts() }).initialSeats
}

describe('lists', () => {
  test.each<[url: string, stats: ObjectStats | undefined, seats: number]>([
    ['/api/v1/pods', thousand, 10],
    ['/api/v1/pods', { objectCount: 100, estimatedAverageObjectSize: 2001 }, 3],
    ['/api/v1/pods', { objectCount: 0, estimatedAverageObjectSize: 0 }, 1],
    ['/api/v1/pods', undefined, 1],
    ['/api/v1/pods', staleStats, 10],
    ['/api/v1/pods?limit=500', thousand, 10],
    ['/api/v1/pods?limit=100', thousand, 2],
    ['/api/v1/pods?limit=500&resourceVersion=7', thousand, 10],
    ['/api/v1/pods?limit=800&continue=abc', thousand, 16],
    ['/api/v1/pods?limit=100&continue=abc', thousand, 2],
    ['/api/v1/pods?limit=100&continue=abc&labelSelector=a', thousand, 10],
    ['/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=7', thousand, 20],
    ['/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=7', staleStats, 100],
    ['/api/v1/pods?fieldSelector=metadata.name%3Da', thousand, 1],
    ['/api/v1/pods?limit=x', { objectCount: 0, estimatedAverageObjectSize: 0 }, 100],
    ['/api/v1/pods?timeoutSeconds=x', thousand, 100],
  ])('%s with %j: %d', (url, stats, seats) => {
    expect(estimate(url, stats && { stats })).toBe(seats)
  })

  test('are limited by their level', () => {
    expect(estimate('/api/v1/pods', { stats: thousand, mostSeats: 4 })).toBe(4)
    expect(estimate('/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=7', { stats: staleStats, mostSeats: 200 })).toBe(100)
  })
})

test.each<[url: string, seats: number]>([
  ['/api/v1/pods?watch=1', 10],
  ['/api/v1/pods?watch=1&resourceVersion=0', 10],
  ['/api/v1/pods?watch=1&resourceVersion=7', 1],
  ['/api/v1/pods?watch=1&resourceVersion=7&sendInitialEvents=true&resourceVersionMatch=NotOlderThan', 10],
  ['/api/v1/watch/pods', 10],
  ['/api/v1/pods/a', 1],
  ['/version', 1],
])('watches count for what they send at first: %s', (url, seats) => {
  expect(estimate(url, { stats: thousand })).toBe(seats)
})

describe('writes', () => {
  const attributes = createResourceAction({ verb: 'update', resource: 'pods', namespace: 'ns', name: 'a' })
  const query = { get: () => null, size: 0 }

  test.each([
    [9, 0, { initialSeats: 1, finalSeats: 0, additionalLatency: 0 }],
    [10, 0, { initialSeats: 1, finalSeats: 1, additionalLatency: 5 }],
    [95, 0, { initialSeats: 1, finalSeats: 10, additionalLatency: 5 }],
    [400, 0, { initialSeats: 1, finalSeats: 10, additionalLatency: 20 }],
    [400, 4, { initialSeats: 1, finalSeats: 4, additionalLatency: 50 }],
  ])('%d watches, %d seats at most', (count, mostSeats, expected) => {
    const observed: number[] = []
    const level = { mostSeats, observeWatches: (watches: number) => void observed.push(watches) }
    const sources = { findStats: () => undefined, watches: { countInterested: () => count } }
    expect(estimateWork({ attributes, query }, level, sources)).toEqual(expected)
    expect(observed).toEqual([count])
    const token = createResourceAction({ verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: 'ns', name: 'a' })
    expect(estimateWork({ attributes: token, query }, level, sources).finalSeats).toBe(0)
  })

  test('watches of the resource, the namespace and the object are interested, but not those of one node', () => {
    const watches = new WatchCounts()
    const watch = createResourceAction({ verb: 'watch', resource: 'pods' })
    const select = (fieldSelector: string | null): { get(): string | null } => ({ get: () => fieldSelector })
    const ends = [
      watches.add({ attributes: watch, query: select(null) }),
      watches.add({ attributes: watch, query: select('spec.nodeName=') }),
      watches.add({ attributes: watch, query: select('spec.nodeName=n') }),
      watches.add({ attributes: { ...watch, namespace: 'ns' }, query: select(null) }),
      watches.add({ attributes: { ...watch, namespace: 'ns', name: 'a' }, query: select(null) }),
      watches.add({ attributes: { ...watch, namespace: 'ns', name: 'b' }, query: select(null) }),
      watches.add({ attributes: { ...watch, namespace: 'other' }, query: select(null) }),
      watches.add({ attributes: { ...watch, apiGroup: 'apps' }, query: select(null) }),
    ]
    expect(watches.countInterested(attributes)).toBe(4)
    expect(watches.countInterested({ ...attributes, verb: 'get' })).toBe(0)
    for (const end of ends) end()
    expect(watches.countInterested(attributes)).toBe(0)
  })
})
