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
