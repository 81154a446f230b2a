import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { AuthenticationResult, Authenticator } from '@keelson/auth'
import { expect, test } from 'vitest'
import { createAccessMetrics } from '../access-metrics.ts'
import { createRequestMetrics } from '../request-metrics.ts'
import { authenticate } from './authentication.ts'
import { openTestExchange } from './exchange.fixture.ts'
import type { Filter } from './filter.ts'

function filterOf(authenticator: Authenticator['authenticate']): Filter {
  const registry = createMetricsRegistry()
  return authenticate(
    { authenticate: authenticator },
    { access: createAccessMetrics(registry), metrics: createRequestMetrics(registry, () => true), identityHeaders: [] },
  )
}
const alice: AuthenticationResult = { outcome: 'authenticated', user: { name: 'alice', groups: ['dev'] } }

test.each([
  ['at once', () => alice],
  ['later', () => Promise.resolve(alice)],
])('sets the user %s, and no handler sees the credentials', async (_, authenticator) => {
  const { exchange } = openTestExchange('/', { headers: { authorization: 'Bearer x' } })
  expect(await filterOf(authenticator)(exchange)).toBeUndefined()
  expect([exchange.requestor.name, exchange.user.name, exchange.header('authorization')]).toEqual(['alice', 'alice', undefined])
})

test.each([[{ outcome: 'unknown' }], [{ outcome: 'rejected', reason: 'no' }]])('%j is 401', async (result) => {
  const { exchange, response } = openTestExchange()
  expect(await filterOf(() => result as AuthenticationResult)(exchange)).toBe('answered')
  expect(await (await response).json()).toMatchObject({ code: 401, reason: 'Unauthorized' })
})

test('a user that the caller has authenticated is taken, whatever the credentials are', async () => {
  const { exchange } = openTestExchange()
  exchange.presetUser = { name: 'preset', groups: [] }
  expect(await filterOf(() => alice)(exchange)).toBeUndefined()
  expect(exchange.user.name).toBe('preset')
})
