import { expect, test } from 'vitest'
import { createCorsFilter } from './cors.ts'
import { openTestExchange } from './exchange.fixture.ts'

const filter = createCorsFilter([/^https:\/\/good\./])!

test('lets pages of an allowed origin read the response, and leaves other requests unchanged', () => {
  const { exchange } = openTestExchange('/', { headers: { origin: 'https://good.example' } })
  expect(filter(exchange)).toBeUndefined()
  expect(exchange.commonHeaders.slice(0, 2)).toEqual(['Access-Control-Allow-Origin', 'https://good.example'])
  for (const headers of [{}, { origin: 'https://bad.example' }]) {
    const otherOrigin = openTestExchange('/', { headers, method: 'OPTIONS' })
    expect(filter(otherOrigin.exchange)).toBeUndefined()
    expect(otherOrigin.exchange.commonHeaders).toEqual([])
  }
})

test('answers a preflight request of an allowed origin', async () => {
  const { exchange, response } = openTestExchange('/', { method: 'OPTIONS', headers: { origin: 'https://good.example' } })
  expect(filter(exchange)).toBe('answered')
  const answer = await response
  expect([answer.status, answer.headers.get('access-control-allow-credentials')]).toEqual([204, 'true'])
})
