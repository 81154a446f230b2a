import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { expect, test } from 'vitest'
import { parseRequestInfo } from './request-info.ts'
import { createRequestMetrics } from './request-metrics.ts'
import type { ObservedRequest } from './request-metrics.ts'

const asked = (target: string): ObservedRequest => ({
  info: parseRequestInfo('GET', target),
  method: 'GET',
  query: '',
  contentType: undefined,
})

test('names that a client invents fill no memory', () => {
  const registry = createMetricsRegistry()
  const metrics = createRequestMetrics(registry)
  for (let i = 0; i < 6000; i++) {
    metrics.terminated(asked(`/x${i}`), 429)
    metrics.observe(asked(`/api/v1/x${i}`), 404, 0.001)
  }
  const before = registry.text().length
  metrics.terminated(asked(`/${'y'.repeat(100_000)}`), 429)
  metrics.observe(asked(`/api/v1/${'y'.repeat(100_000)}`), 404, 0.001)
  const text = registry.text()
  expect(text.length).toBe(before)
  expect(text.match(/^apiserver_request_terminations_total\{/gm)).toHaveLength(5000)
  expect(text.match(/^apiserver_request_total\{/gm)).toHaveLength(5000)
  metrics.terminated(asked('/x7'), 429)
  expect(registry.text()).toMatch(/^apiserver_request_terminations_total\{[^}]*subresource="\/x7"[^}]*\} 2$/m)
})
