import { createCounter, createGauge } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'

/** Told of each check of an endpoint. */
export type OnChecked = (endpoint: string, check: string, passed: boolean) => void

/** What service levels of components are measured by: how each check went. Also to be had apart from everything else that is measured. */
export function registerHealthMetrics(registry: MetricsRegistry): { readonly onChecked: OnChecked; text(): string } {
  const last = registry.register(
    createGauge('kubernetes_healthcheck', '[STABLE] The outcome of the last health check: 1 passed, 0 failed.'),
  )
  const all = registry.register(createCounter('kubernetes_healthchecks_total', '[STABLE] Health checks by their outcome.'))
  return {
    onChecked: (type, name, passed) => {
      last.with({ name, type }).value = passed ? 1 : 0
      all.with({ name, status: passed ? 'success' : 'error', type }).value++
    },
    text: () => last.collect() + all.collect(),
  }
}
