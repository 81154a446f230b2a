import { createCounter, createGauge } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'

/** Metrics of the availability of APIServices. */
export interface AvailabilityMetrics {
  /** Sets the gauge of an APIService. */
  observe(name: string, isAvailable: boolean): void
  /** Counts that an APIService became unavailable. */
  countUnavailable(name: string, reason: string): void
  /** Removes the gauge of a deleted APIService. */
  forget(name: string): void
}

export function createAvailabilityMetrics(registry: MetricsRegistry): AvailabilityMetrics {
  const gauge = registry.register(
    createGauge(
      'aggregator_unavailable_apiservice',
      '[ALPHA] Gauge of APIServices which are marked as unavailable broken down by APIService name.',
    ),
  )
  const counter = registry.register(
    createCounter(
      'aggregator_unavailable_apiservice_total',
      '[ALPHA] Counter of APIServices which are marked as unavailable broken down by APIService name and reason.',
    ),
  )
  return {
    observe: (name, isAvailable) => void (gauge.with({ name }).value = isAvailable ? 0 : 1),
    countUnavailable: (name, reason) => void counter.with({ name, reason }).value++,
    forget: (name) => gauge.delete({ name }),
  }
}
