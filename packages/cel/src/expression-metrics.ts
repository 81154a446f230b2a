import { createHistogram, createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'

/** Metrics of expressions, with kube-apiserver's names. */
export interface ExpressionMetrics {
  readonly recordCompilation: (seconds: number) => void
  readonly recordEvaluation: (seconds: number) => void
}

const created = new WeakMap<MetricsRegistry, ExpressionMetrics>()
/** The default buckets of Prometheus' client for Go. */
const defaultBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Returns the metrics of expressions of a registry. Policies and rules of custom resources share them. */
export function getExpressionMetrics(registry: MetricsRegistry = createMetricsRegistry()): ExpressionMetrics {
  let metrics = created.get(registry)
  if (metrics === undefined) {
    const create = (name: string, text: string): ((seconds: number) => void) => {
      const histogram = registry
        .register(createHistogram(`apiserver_cel_${name}_duration_seconds`, `[BETA] ${text}`, defaultBounds))
        .with({})
      return (seconds) => histogram.observe(seconds)
    }
    metrics = {
      recordCompilation: create('compilation', 'CEL compilation time in seconds.'),
      recordEvaluation: create('evaluation', 'CEL evaluation time in seconds.'),
    }
    created.set(registry, metrics)
  }
  return metrics
}
