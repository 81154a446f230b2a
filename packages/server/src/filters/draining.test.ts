import { expect, test } from 'vitest'
import { Lifecycle } from './wait-group.ts'
import { refuseWhileDraining } from './draining.ts'
import { openTestExchange } from './exchange.fixture.ts'

test('refuses requests during shutdown, except health checks and metrics', async () => {
  const lifecycle = new Lifecycle()
  const filter = refuseWhileDraining(lifecycle)
  expect(filter(openTestExchange().exchange)).toBeUndefined()
  lifecycle.drain()
  for (const path of ['/livez', '/readyz/ping', '/metrics']) expect(filter(openTestExchange(path).exchange)).toBeUndefined()
  const { exchange, response } = openTestExchange()
  expect(filter(exchange)).toBe('answered')
  const answer = await response
  expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('connection')]).toEqual([429, '5', 'close'])
})
