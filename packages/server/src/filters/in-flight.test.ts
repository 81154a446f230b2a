import type { Value } from '@keelson/apimachinery/metrics'
import { expect, test } from 'vitest'
import { openTestExchange } from './exchange.fixture.ts'
import { createInFlightLimit, limitInFlight } from './in-flight.ts'
import type { Ticket } from './in-flight.ts'

const current: Readonly<Record<'readOnly' | 'mutating', Value>> = { readOnly: { value: 0 }, mutating: { value: 0 } }
const dropped: unknown[] = []
const metrics = { dropped: (request: unknown) => void dropped.push(request) }

test('refuses requests beyond the limit of their kind with 429, until one ends', async () => {
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

test('waits for a limit that queues, and releases the ticket at once if the request has ended meanwhile', async () => {
  let released = 0
  const ticket: Ticket = { begin: () => {}, end: () => {}, leave: () => released++ }
  let admit!: (ticket: Ticket | undefined) => void
  const filter = limitInFlight({ admit: () => new Promise((resolve) => (admit = resolve)) }, metrics)
  const { exchange } = openTestExchange()
  const pending = filter(exchange)
  exchange.end()
  admit(ticket)
  expect(await pending).toBeUndefined()
  expect(released).toBe(1)
})

test('does not limit long-running requests', async () => {
  const filter = limitInFlight({ admit: () => undefined }, metrics)
  const { exchange } = openTestExchange('/api/v1/pods?watch=1')
  exchange.isLongRunning = true
  expect(await filter(exchange)).toBeUndefined()
})
