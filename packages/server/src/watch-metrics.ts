import { createCounter, createHistogram } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { decideReportedScope } from '@keelson/exchange'
import type { WatchObserver } from '@keelson/http-installer'

const sizeBuckets = Array.from({ length: 8 }, (_, i) => 1024 * 2 ** i)
const initialBuckets = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60]

/** Creates metrics of events that watches have sent. Events that are sent in one write count with their average size. */
export function createWatchMetrics(registry: MetricsRegistry): WatchObserver {
  const total = registry.register(createCounter('apiserver_watch_events_total', '[ALPHA] Number of events sent to watch clients.'))
  const sizes = registry.register(
    createHistogram('apiserver_watch_events_sizes', '[ALPHA] Watch event size distribution in bytes.', sizeBuckets),
  )
  const initialDurations = registry.register(
    createHistogram(
      'apiserver_watch_list_duration_seconds',
      '[BETA] Response latency distribution in seconds for watch list requests broken by group, version, resource and scope.',
      initialBuckets,
    ),
  )
  return ({ group, version, resource }, { attributes, started }) => {
    const labels = { group, version, resource }
    const count = total.with(labels)
    const size = sizes.with(labels)
    return {
      sent: (events, bytes) => {
        count.value += events
        for (let i = 0; i < events; i++) size.observe(bytes / events)
      },
      sentInitialEvents: () =>
        initialDurations.with({ ...labels, scope: decideReportedScope(attributes) }).observe((performance.now() - started) / 1000),
    }
  }
}
