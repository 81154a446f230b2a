import { createCounter, createHistogram } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { ReviewAttempt } from '@keelson/auth'

/** Observers of the reviews that an extension API server sends. */
export interface DelegationMetrics {
  readonly recordAuthentication: (attempt: ReviewAttempt) => void
  readonly recordAuthorization: (attempt: ReviewAttempt) => void
}

const buckets = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10]

/** Registers the metrics of delegated authentication and authorization, with the names of kube-apiserver's library. */
export function createDelegationMetrics(registry: MetricsRegistry): DelegationMetrics {
  const createObserver = (kind: string, subject: string): ((attempt: ReviewAttempt) => void) => {
    const counter = registry.register(
      createCounter(`apiserver_delegated_${kind}_request_total`, `[ALPHA] Requests for delegated ${subject}, by HTTP status.`),
    )
    const times = registry.register(
      createHistogram(
        `apiserver_delegated_${kind}_request_duration_seconds`,
        `[ALPHA] Latency of requests for delegated ${subject}, in seconds, by HTTP status.`,
        buckets,
      ),
    )
    return ({ code, seconds }) => {
      const labels = { code: code === undefined ? '<error>' : String(code) }
      counter.with(labels).value++
      times.with(labels).observe(seconds)
    }
  }
  return { recordAuthentication: createObserver('authn', 'authentication'), recordAuthorization: createObserver('authz', 'authorization') }
}
