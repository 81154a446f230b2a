import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, it } from 'vitest'
import { createAccessMetrics } from './access-metrics.ts'

it('tells kinds of user names, never names, and how attempts ended', () => {
  const registry = createMetricsRegistry()
  const access = createAccessMetrics(registry)
  expect(registry.text()).toBe('')
  for (const name of ['admin', 'kubelet', 'jane@example.com', 'system:serviceaccount:ns:a', 'system:anonymous']) {
    access.authenticated({ outcome: 'authenticated', user: { name, groups: [] } }, 0.0005)
  }
  access.authenticated({ outcome: 'rejected', reason: 'no' }, 0.003)
  access.authenticated({ outcome: 'unknown' }, 0)
  for (const decision of ['allow', 'deny', 'noOpinion'] as const) access.authorized(decision, 0.001)
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
