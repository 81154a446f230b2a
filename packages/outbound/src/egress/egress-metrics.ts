import { createCounter, createHistogram } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'

/** Labels of a proxy in metrics. */
export interface ProxyLabels {
  readonly protocol: 'http_connect' | 'grpc'
  readonly transport: 'tcp' | 'uds'
}

/** Stage at which a dial failed: connecting to the proxy, or asking it for a tunnel. */
export type DialStage = 'connect' | 'proxy'

/** Metrics of connections through proxies. */
export interface EgressMetrics {
  startDial(labels: ProxyLabels): void
  finishDial(labels: ProxyLabels, seconds: number): void
  failDial(labels: ProxyLabels, stage: DialStage): void
}

/** Creates the metrics and registers them. */
export function createEgressMetrics(registry: MetricsRegistry): EgressMetrics {
  const prefix = 'apiserver_egress_dialer_dial'
  const starts = createCounter(
    `${prefix}_start_total`,
    '[ALPHA] Dial starts, labeled by the protocol (http-connect or grpc) and transport (tcp or uds).',
  )
  const durations = createHistogram(
    `${prefix}_duration_seconds`,
    '[ALPHA] Dial latency histogram in seconds, labeled by the protocol (http-connect or grpc), transport (tcp or uds)',
    [0.005, 0.025, 0.1, 0.5, 2.5, 12.5],
  )
  const failures = createCounter(
    `${prefix}_failure_count`,
    '[ALPHA] Dial failure count, labeled by the protocol (http-connect or grpc), transport (tcp or uds), and stage (connect or proxy). The stage indicates at which stage the dial failed',
  )
  for (const metric of [starts, durations, failures]) registry.register(metric)
  return {
    startDial: (labels) => void starts.with({ ...labels }).value++,
    finishDial: (labels, seconds) => durations.with({ ...labels }).observe(seconds),
    failDial: (labels, stage) => void failures.with({ ...labels, stage }).value++,
  }
}
