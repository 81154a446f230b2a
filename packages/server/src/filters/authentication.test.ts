import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { AuthenticationResult, Authenticator } from '@keelson/auth'
import { expect, test, it } from 'vitest'
import { createAccessMetrics, authenticate } from './authentication.ts'
import { createRequestMetrics } from '../request-metrics.ts'
import { openTestExchange } from './exchange.fixture.ts'
import type { Filter } from './filter.ts'

function createFilter(authenticator: Authenticator['authenticate']): Filter {
  const registry = createMetricsRegistry()
  return authenticate(
    { authenticate: authenticator },
    { access: createAccessMetrics(registry), metrics: createRequestMetrics(registry, () => true), identityHeaders: () => [] },
  )
}
const alice: AuthenticationResult = { outcome: 'authenticated', user: { name: 'alice', groups: ['dev'] } }

test.each([
  ['at once', () => alice],
  ['later', () => Promise.resolve(alice)],
])('sets the user %s, and removes the credentials from the request', async (_, authenticator) => {
  const { exchange } = openTestExchange('/', { headers: { authorization: 'Bearer x' } })
  expect(await createFilter(authenticator)(exchange)).toBeUndefined()
  expect([exchange.requestor.name, exchange.user.name, exchange.getHeader('authorization')]).toEqual(['alice', 'alice', undefined])
})

test.each([[{ outcome: 'unknown' }], [{ outcome: 'rejected', reason: 'no' }]])('answers 401 for %j', async (result) => {
  const { exchange, response } = openTestExchange()
  expect(await createFilter(() => result as AuthenticationResult)(exchange)).toBe('answered')
  expect(await (await response).json()).toMatchObject({ code: 401, reason: 'Unauthorized' })
})

test('uses the user that the caller has authenticated, whatever the credentials are', async () => {
  const { exchange } = openTestExchange()
  exchange.presetUser = { name: 'preset', groups: [] }
  expect(await createFilter(() => alice)(exchange)).toBeUndefined()
  expect(exchange.user.name).toBe('preset')
})

it('counts attempts by outcome and by kind of user name, without exposing names', () => {
  const registry = createMetricsRegistry()
  const access = createAccessMetrics(registry)
  expect(registry.text()).toBe('')
  for (const name of ['admin', 'kubelet', 'jane@example.com', 'system:serviceaccount:ns:a', 'system:anonymous']) {
    access.recordAuthentication({ outcome: 'authenticated', user: { name, groups: [] } }, 0.0005)
  }
  access.recordAuthentication({ outcome: 'rejected', reason: 'no' }, 0.003)
  access.recordAuthentication({ outcome: 'unknown' }, 0)
  for (const decision of ['allow', 'deny', 'noOpinion'] as const) access.recordAuthorization(decision, 0.001)
  const counts = registry
    .text()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !/_(bucket|sum)\{/.test(line))
  expect(counts).toEqual([
    'authenticated_user_requests{username="admin"} 1',
    'authenticated_user_requests{username="kubelet"} 1',
    'authenticated_user_requests{username="email_id"} 1',
    'authenticated_user_requests{username="other"} 2',
    'authentication_attempts{result="success"} 5',
    'authentication_attempts{result="error"} 1',
    'authentication_attempts{result="failure"} 1',
    'authentication_duration_seconds_count{result="success"} 5',
    'authentication_duration_seconds_count{result="error"} 1',
    'authentication_duration_seconds_count{result="failure"} 1',
    'authorization_attempts_total{result="allowed"} 1',
    'authorization_attempts_total{result="denied"} 1',
    'authorization_attempts_total{result="no-opinion"} 1',
    'authorization_duration_seconds_count{result="allowed"} 1',
    'authorization_duration_seconds_count{result="denied"} 1',
    'authorization_duration_seconds_count{result="no-opinion"} 1',
  ])
})
