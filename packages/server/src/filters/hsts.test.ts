import { expect, test } from 'vitest'
import { openTestExchange } from './exchange.fixture.ts'
import { createHstsFilter } from './hsts.ts'

test.each([
  [[], []],
  [
    ['max-age=31536000', 'preload'],
    ['Strict-Transport-Security', 'max-age=31536000; preload'],
  ],
])('for the directives %j, sends the headers %j', async (directives, headers) => {
  const { exchange } = openTestExchange()
  await createHstsFilter(directives)?.(exchange)
  expect(exchange.commonHeaders).toEqual(headers)
})
