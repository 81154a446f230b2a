import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { sendBytes } from '@keelson/exchange'
import { expect, test } from 'vitest'
import { createRequestMetrics } from '../request-metrics.ts'
import { openTestExchange } from './exchange.fixture.ts'
import { measureRequest } from './request-metrics.ts'

test('counts a request at its end, with its status', async () => {
  const registry = createMetricsRegistry()
  const filter = measureRequest(createRequestMetrics(registry, () => true))
  const { exchange } = openTestExchange()
  await filter(exchange)
  sendBytes(exchange, 404, {}, 'nothing')
  expect(registry.text()).not.toContain('code="404"')
  exchange.end()
  expect(registry.text()).toMatch(/^apiserver_request_total\{[^}]*code="404"[^}]*\} 1$/m)
})

test('counts a long-running request as running until its end', async () => {
  const registry = createMetricsRegistry()
  const filter = measureRequest(createRequestMetrics(registry, () => true))
  const { exchange } = openTestExchange('/api/v1/pods?watch=1')
  exchange.isLongRunning = true
  await filter(exchange)
  expect(registry.text()).toMatch(/^apiserver_longrunning_requests\{[^}]*\} 1$/m)
  exchange.end()
  expect(registry.text()).toMatch(/^apiserver_longrunning_requests\{[^}]*\} 0$/m)
})
