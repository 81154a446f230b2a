import { createCounter, createGauge, createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsPage } from './install-metrics.ts'
import { startTime } from './process-metrics.ts'

/** Called for each check of an endpoint. */
export type OnChecked = (endpoint: string, check: string, passed: boolean) => void

/** Metrics of health checks, by which service levels are measured. They are also served on a page of their own. */
export function registerHealthMetrics(registry: MetricsRegistry): { readonly onChecked: OnChecked; readonly page: MetricsPage } {
  const page = createMetricsRegistry()
  const last = createGauge('kubernetes_healthcheck', '[STABLE] The outcome of the last health check: 1 passed, 0 failed.')
  const all = createCounter('kubernetes_healthchecks_total', '[STABLE] Health checks by their outcome.')
  for (const collector of [last, all]) page.register(registry.register(collector))
  page.register(startTime())
  return {
    onChecked: (type, name, passed) => {
      last.with({ name, type }).value = passed ? 1 : 0
      all.with({ name, status: passed ? 'success' : 'error', type }).value++
    },
    page,
  }
}
