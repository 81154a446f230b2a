import type { Authorizer } from '@keelson/auth'
import { expect, test } from 'vitest'
import { openTestExchange } from './exchange.fixture.ts'
import type { OpenedExchange } from './exchange.fixture.ts'
import { impersonate } from './impersonation.ts'

const createAuthorizer = (decision: 'allow' | 'deny'): Authorizer => ({ authorize: () => ({ decision, reason: '' }) })

function open(headers: Record<string, string>): OpenedExchange {
  const testExchange = openTestExchange('/api/v1/pods', { headers })
  testExchange.exchange.requestor = testExchange.exchange.user = { name: 'alice', groups: [] }
  return testExchange
}

test('runs a request without Impersonate headers as its requestor, synchronously', () => {
  const { exchange } = open({})
  expect(impersonate(createAuthorizer('deny'))(exchange)).toBeUndefined()
  expect(exchange.user.name).toBe('alice')
})

test('runs a request as the impersonated user if impersonation is allowed', async () => {
  const { exchange } = open({ 'impersonate-user': 'bob' })
  expect(await impersonate(createAuthorizer('allow'))(exchange)).toBeUndefined()
  expect([exchange.requestor.name, exchange.user.name]).toEqual(['alice', 'bob'])
})

test.each([
  [{ 'impersonate-user': 'bob' }, 403],
  [{ 'impersonate-group': 'dev' }, 400],
])('refuses a request with the headers %j and without permission to impersonate: %d', async (headers, code) => {
  const { exchange, response } = open(headers)
  expect(await impersonate(createAuthorizer('deny'))(exchange)).toBe('answered')
  expect(await (await response).json()).toMatchObject({ code })
})
