import type { Value } from '@keelson/apimachinery/metrics'
import { expect, test } from 'vitest'
import { openTestExchange } from './exchange.fixture.ts'
import { createInFlightLimit, limitInFlight } from './in-flight.ts'
import type { Ticket } from './in-flight.ts'

const current: Readonly<Record<'readOnly' | 'mutating', Value>> = { readOnly: { value: 0 }, mutating: { value: 0 } }
const dropped: unknown[] = []
const metrics = { dropped: (request: unknown) => void dropped.push(request) }

test('more requests of a kind than the limit are refused with 429, until one ends', async () => {
  const filter = limitInFlight(createInFlightLimit({ readOnly: 1, mutating: 1 }, current), metrics)
  const { exchange: first } = openTestExchange()
  const { exchange: second, response } = openTestExchange()
  expect(await filter(first)).toBeUndefined()
  expect(await filter(openTestExchange('/api/v1/pods', { method: 'POST' }).exchange)).toBeUndefined()
  expect(await filter(second)).toBe('answered')
  const answer = await response
  expect([answer.status, answer.headers.get('retry-after'), dropped]).toEqual([429, '1', [second]])
  first.end()
  expect(await filter(openTestExchange().exchange)).toBeUndefined()
  expect(current.readOnly.value).toBe(1)
})

test('a request waits for a limit that queues, and leaves at once if it ended meanwhile', async () => {
  let left = 0
  const ticket: Ticket = { begin: () => {}, end: () => {}, leave: () => left++ }
  let admit!: (ticket: Ticket | undefined) => void
  const filter = limitInFlight({ admit: () => new Promise((resolve) => (admit = resolve)) }, metrics)
  const { exchange } = openTestExchange()
  const pending = filter(exchange)
  exchange.end()
  admit(ticket)
  expect(await pending).toBeUndefined()
  expect(left).toBe(1)
})

test('long-running requests are not limited', async () => {
  const filter = limitInFlight({ admit: () => undefined }, metrics)
  const { exchange } = openTestExchange('/api/v1/pods?watch=1')
  exchange.isLongRunning = true
  expect(await filter(exchange)).toBeUndefined()
})
