import { createCounter, createGauge, createHistogram } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'

/** Metrics of an external signer, with kube-apiserver's names. Codes are the names of gRPC codes ("OK", "Unavailable"). */
export interface SignerMetrics {
  recordFetch(code: string, now: number): void
  countSignature(code: string): void
  recordCall(method: string, code: string, seconds: number): void
  /** Records the time at which the fetched keys were current, in milliseconds since the epoch. */
  setKeysTimestamp(timestamp: number): void
}

const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export function createSignerMetrics(registry: MetricsRegistry): SignerMetrics {
  const name = (metric: string): string => `apiserver_externaljwt_${metric}`
  const registerCounter = (metric: string, help: string) => registry.register(createCounter(name(metric), `[ALPHA] ${help}`))
  const registerGauge = (metric: string, help: string) => registry.register(createGauge(name(metric), `[ALPHA] ${help}`))
  const fetches = registerCounter('fetch_keys_request_total', 'Requests for the keys of the external signer, by code.')
  const signatures = registerCounter('sign_request_total', 'Tokens that the external signer was asked to sign, by code.')
  const lastFetch = registerGauge('fetch_keys_success_timestamp', 'Time of the last successful request for keys, in seconds since 1970.')
  const dataTime = registerGauge('fetch_keys_data_timestamp', 'Time at which the keys were current, in seconds since 1970.')
  const durations = registry.register(
    createHistogram(name('request_duration_seconds'), '[ALPHA] Duration of calls to the external signer, by method and code.', buckets),
  )
  return {
    recordFetch: (code, now) => {
      fetches.with({ code }).value++
      if (code === 'OK') lastFetch.with({}).value = now / 1000
    },
    countSignature: (code) => void signatures.with({ code }).value++,
    recordCall: (method, code, seconds) => durations.with({ method, code }).observe(seconds),
    setKeysTimestamp: (timestamp) => void (dataTime.with({}).value = timestamp / 1000),
  }
}
