import { createCounter, createHistogram } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'

/** The values of the label `failure_type`. "" means success. */
export type ConversionFailureType =
  | ''
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure'

export interface ConversionLabels {
  /** The name of the definition: "widgets.example.com". */
  readonly definition: string
  readonly from: string
  readonly to: string
}

/** Metrics of conversion webhooks, with kube-apiserver's names. */
export interface ConversionMetrics {
  /** Records a call of a webhook with its duration. */
  recordCall(labels: ConversionLabels, failure: ConversionFailureType, seconds: number): void
}

/** Registers the metrics of conversion webhooks. */
export function createConversionMetrics(registry: MetricsRegistry): ConversionMetrics {
  const perDefinition = registry.register(
    createHistogram(
      'apiserver_crd_conversion_webhook_duration_seconds',
      '[ALPHA] CRD webhook conversion duration in seconds',
      Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i),
    ),
  )
  const requests = registry.register(
    createCounter(
      'apiserver_conversion_webhook_request_total',
      '[ALPHA] Counter for conversion webhook requests with success/failure and failure error type',
    ),
  )
  const durations = registry.register(
    createHistogram(
      'apiserver_conversion_webhook_duration_seconds',
      '[ALPHA] Conversion webhook request latency',
      [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60],
    ),
  )
  return {
    recordCall({ definition, from, to }, failure, seconds) {
      const succeeded = failure === ''
      perDefinition.with({ crd_name: definition, from_version: from, to_version: to, succeeded: String(succeeded) }).observe(seconds)
      const labels = { result: succeeded ? 'success' : 'failure', failure_type: failure }
      requests.with(labels).value++
      durations.with(labels).observe(seconds)
    },
  }
}
