import { expect, test } from 'vitest'
import { cacheControl } from './cache-control.ts'
import { openTestExchange } from './exchange.fixture.ts'

test('forbids caching of responses', () => {
  const { exchange } = openTestExchange()
  exchange.commonHeaders = ['Audit-Id', 'a']
  cacheControl(exchange)
  expect(exchange.commonHeaders).toEqual(['Audit-Id', 'a', 'Cache-Control', 'no-cache, private'])
})
