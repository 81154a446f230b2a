import { createCounter, createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { createExchanges } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { installMetrics } from './install-metrics.ts'

it.each([true, false])('DELETE resets the metrics only if that is allowed: %s', async (resettable) => {
  const registry = createMetricsRegistry()
  const count = registry.register(createCounter('things_total', 'Things.')).with({})
  count.value = 3
  const app = new Hono<InstallerEnv>()
  app.use(createExchanges(app, { user: { name: 'a', groups: [] } }))
  installMetrics(app, '/metrics', registry, resettable)
  const answer = async (method: string): Promise<string> => (await app.request('/metrics', { method })).text()
  expect(await answer('GET')).toContain('things_total 3\n')
  expect(await answer('DELETE')).toBe(resettable ? 'metrics reset\n' : registry.text())
  count.value++
  expect(await answer('GET')).toContain(`things_total ${resettable ? 1 : 4}\n`)
})
