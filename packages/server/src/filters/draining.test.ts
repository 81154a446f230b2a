import { expect, test } from 'vitest'
import { Lifecycle } from './wait-group.ts'
import { refuseWhileDraining } from './draining.ts'
import { openTestExchange } from './exchange.fixture.ts'

test.each([
  [true, 429, '5', 'The apiserver is shutting down, please try again later.\n'],
  [false, 503, '1', expect.stringContaining('"message":"apiserver is shutting down","reason":"ServiceUnavailable"')],
])('refuses requests during shutdown, except health checks and metrics (%s: %d)', async (sendRetryAfter, status, retryAfter, body) => {
  const lifecycle = new Lifecycle()
  const filter = refuseWhileDraining(lifecycle, sendRetryAfter)
  expect(filter(openTestExchange().exchange)).toBeUndefined()
  lifecycle.drain()
  for (const path of ['/livez', '/readyz/ping', '/metrics']) expect(filter(openTestExchange(path).exchange)).toBeUndefined()
  const { exchange, response } = openTestExchange()
  expect(filter(exchange)).toBe('answered')
  const answer = await response
  expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('connection')]).toEqual([status, retryAfter, 'close'])
  expect(await answer.text()).toEqual(body)
})
