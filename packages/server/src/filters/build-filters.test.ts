import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, test } from 'vitest'
import { createAccessMetrics } from './authentication.ts'
import { Lifecycle } from './wait-group.ts'
import { createRequestMetrics } from '../request-metrics.ts'
import { buildFilters } from './build-filters.ts'
import { createDeadlines } from './request-deadline.ts'

test("lists the filters in the order of kube-apiserver's handler chain", () => {
  const registry = createMetricsRegistry()
  const metrics = createRequestMetrics(registry, () => true)
  const filters = buildFilters({
    authenticator: { authenticate: () => ({ outcome: 'unknown' }) },
    authorizer: { authorize: () => ({ decision: 'allow', reason: '' }) },
    sendRetryAfter: false,
    limits: { readOnly: 1, mutating: 1 },
    deadlines: createDeadlines(1000, metrics),
    identityHeaders: () => [],
    goAwayChance: 0,
    corsAllowedOrigins: [],
    hstsDirectives: [],
    lifecycle: new Lifecycle(),
    metrics,
    access: createAccessMetrics(registry),
    findRoute: () => undefined,
  })
  expect(filters.map(({ name }) => name)).toEqual([
    'audit-id',
    'audit-init',
    'request-log',
    'request-info',
    'draining',
    'hsts',
    'cache-control',
    'goaway',
    'wait-group',
    'request-deadline',
    'cors',
    'authentication-trace',
    'authentication',
    'request-trace',
    'audit',
    'impersonation',
    'in-flight',
    'authorization',
    'request-metrics',
  ])
})
