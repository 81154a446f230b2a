import { createCounter, createHistogram } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'

type Outcome = 'allowed' | 'denied'

/** Metrics of impersonation, with kube-apiserver's names. `mode` is empty if no mode allowed the impersonation. */
export interface ImpersonationMetrics {
  /** Counts a request with `Impersonate-*` headers. Call this after the request was authorized or refused. */
  recordAttempt(mode: string, decision: Outcome, seconds: number): void
  /** Counts a permission check of an impersonation. Call this after each check. */
  recordAuthorization(mode: string, decision: Outcome, seconds: number): void
}

/** Histogram buckets from 1 ms to 16 s; each is twice the previous one. */
const buckets = Array.from({ length: 15 }, (_, i) => 2 ** i / 1000)

export function createImpersonationMetrics(registry: MetricsRegistry): ImpersonationMetrics {
  const registerPair = (prefix: string, subject: string): ImpersonationMetrics['recordAttempt'] => {
    const count = registry.register(createCounter(`${prefix}_total`, `[ALPHA] ${subject}, by mode and decision.`))
    const time = registry.register(
      createHistogram(
        `${prefix}_duration_seconds`,
        `[ALPHA] Duration of ${subject.toLowerCase()} in seconds, by mode and decision.`,
        buckets,
      ),
    )
    const series = new Map<string, (seconds: number) => void>()
    return (mode, decision, seconds) => {
      const key = `${mode} ${decision}`
      let observe = series.get(key)
      if (observe === undefined) {
        const [counter, histogram] = [count.with({ mode, decision }), time.with({ mode, decision })]
        observe = (duration) => {
          counter.value++
          histogram.observe(duration)
        }
        series.set(key, observe)
      }
      observe(seconds)
    }
  }
  return {
    recordAttempt: registerPair('apiserver_impersonation_attempts', 'Attempts to impersonate'),
    recordAuthorization: registerPair('apiserver_impersonation_authorization_attempts', 'Permission checks of impersonation'),
  }
}
