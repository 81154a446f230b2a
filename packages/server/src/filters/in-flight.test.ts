import { expect, test } from 'vitest'
import { openTestExchange } from './exchange.fixture.ts'
import { limitInFlight } from './in-flight.ts'
import type { Filter } from './filter.ts'

interface OpenFilter {
  readonly filter: Filter
  readonly dropped: readonly unknown[]
  readonly inFlight: Readonly<Record<'readOnly' | 'mutating', { value: number }>>
}

function openFilter(readOnly: number, mutating: number): OpenFilter {
  const dropped: unknown[] = []
  const inFlight = { readOnly: { value: 0 }, mutating: { value: 0 } }
  return {
    filter: limitInFlight({ readOnly, mutating }, { countDrop: (request) => void dropped.push(request), inFlight }),
    dropped,
    inFlight,
  }
}

test('refuses requests beyond the limit of their kind with 429 as plain text, until one ends', async () => {
  const { filter, dropped, inFlight } = openFilter(1, 1)
  const { exchange: first } = openTestExchange()
  const { exchange: second, response } = openTestExchange()
  expect(filter(first)).toBeUndefined()
  expect(filter(openTestExchange('/api/v1/pods', { method: 'POST' }).exchange)).toBeUndefined()
  expect(filter(second)).toBe('answered')
  const answer = await response
  expect([answer.status, answer.headers.get('retry-after'), dropped]).toEqual([429, '1', [second]])
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await answer.text()).toBe('Too many requests, please try again later.\n')
  first.end()
  expect(filter(openTestExchange().exchange)).toBeUndefined()
  expect(inFlight.readOnly.value).toBe(1)
})

test('a response that waits for its client does not count', async () => {
  const { filter } = openFilter(1, 1)
  const { exchange } = openTestExchange()
  expect(await filter(exchange)).toBeUndefined()
  exchange.clientWait?.begin()
  expect(filter(openTestExchange().exchange)).toBeUndefined()
  exchange.clientWait?.end()
  expect(filter(openTestExchange().exchange)).toBe('answered')
})

test('does not limit long-running requests, health checks, and kinds without a limit', () => {
  const { filter, inFlight } = openFilter(1, 0)
  const { exchange: watch } = openTestExchange('/api/v1/pods?watch=1')
  watch.isLongRunning = true
  for (let i = 0; i < 3; i++) {
    expect(filter(watch)).toBeUndefined()
    expect(filter(openTestExchange('/livez').exchange)).toBeUndefined()
    expect(filter(openTestExchange('/api/v1/pods', { method: 'POST' }).exchange)).toBeUndefined()
  }
  expect(inFlight).toEqual({ readOnly: { value: 3 }, mutating: { value: 3 } })
})
