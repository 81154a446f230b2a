import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Exchange } from '@keelson/exchange'
import { openTestExchange } from './exchange.fixture.ts'
import { createDeadlines, requestDeadline, Deadlines } from './request-deadline.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function createFilter(): { readonly filter: (exchange: Exchange) => unknown; readonly seen: string[]; readonly stop: () => void } {
  const outcomes: string[] = []
  const metrics = {
    countTermination: (_: unknown, code: number) => void outcomes.push(`terminated ${code}`),
    countAbort: () => void outcomes.push('aborted'),
  }
  const deadlines = createDeadlines(10_000, metrics)
  return { filter: requestDeadline(deadlines, metrics), seen: outcomes, stop: () => deadlines.stop() }
}

test.each([
  ['/api/v1/pods', 11_000],
  ['/api/v1/pods?timeout=2s', 2_000],
  ['/api/v1/pods?timeout=1h', 11_000],
  ['/api/v1/pods?timeout=0s', 11_000],
])('answers 504 when %s expires, without waiting for the handler', async (path, milliseconds) => {
  const { filter, seen } = createFilter()
  const { exchange, response } = openTestExchange(path)
  expect(filter(exchange)).toBeUndefined()
  vi.advanceTimersByTime(milliseconds - 1_100)
  expect(exchange.isOver).toBe(false)
  vi.advanceTimersByTime(1_100)
  expect([exchange.isOver, exchange.aborted, seen]).toEqual([true, true, ['terminated 504']])
  expect((await response).status).toBe(504)
  expect(vi.getTimerCount()).toBe(0)
})

test('a request that ends in time does not expire', () => {
  const { filter, seen, stop } = createFilter()
  for (const path of ['/api/v1/pods', '/api/v1/pods?timeout=1s']) {
    const { exchange } = openTestExchange(path)
    filter(exchange)
    exchange.end()
  }
  vi.advanceTimersByTime(60_000)
  expect(seen).toEqual([])
  stop()
})

test('aborts a response that has started before the deadline', async () => {
  const { filter, seen } = createFilter()
  const { exchange, response } = openTestExchange()
  filter(exchange)
  ;(exchange.outgoing as { write(chunk: string): boolean }).write('half')
  await vi.advanceTimersByTimeAsync(11_000)
  expect(seen).toEqual(['terminated 504', 'aborted'])
  await expect((await response).text()).rejects.toThrow('aborted the response')
})

test('answers 400 for an invalid timeout', async () => {
  const { filter } = createFilter()
  const { exchange, response } = openTestExchange('/api/v1/pods?timeout=soon')
  expect(filter(exchange)).toBe('answered')
  expect(await (await response).json()).toMatchObject({
    code: 400,
    message: 'invalid timeout specified in the request URL - time: invalid duration "soon"',
  })
})

test('a long-running request has no deadline', () => {
  const { filter } = createFilter()
  const { exchange } = openTestExchange('/api/v1/pods?watch=1')
  exchange.isLongRunning = true
  expect(filter(exchange)).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})

interface Entry {
  readonly name: string
  readonly started: number
}
const createEntry = (name: string): Entry => ({ name, started: performance.now() })

test('expires entries once, the oldest first, and skips deleted ones', () => {
  const expired: string[] = []
  const deadlines = new Deadlines<Entry>(1000, ({ name }) => expired.push(name))
  deadlines.add(createEntry('a'))
  const finished = deadlines.add(createEntry('finished'))
  vi.advanceTimersByTime(600)
  deadlines.add(createEntry('b'))
  deadlines.delete(finished)
  vi.advanceTimersByTime(600)
  expect(expired).toEqual(['a'])
  vi.advanceTimersByTime(600)
  expect(expired).toEqual(['a', 'b'])
  expect(vi.getTimerCount()).toBe(0)
})

test('changing the system clock neither expires an entry nor delays its expiry', () => {
  let expired = 0
  const deadlines = new Deadlines<Entry>(1000, () => expired++)
  deadlines.add(createEntry('a'))
  vi.setSystemTime(Date.now() + 3_600_000)
  vi.advanceTimersByTime(500)
  expect(expired).toBe(0)
  vi.setSystemTime(0)
  vi.advanceTimersByTime(700)
  expect(expired).toBe(1)
  deadlines.stop()
})
