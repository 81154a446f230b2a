import { createCounter, createHistogram } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { WatchObserver } from '@keelson/http-installer'

const sizeBuckets = Array.from({ length: 8 }, (_, i) => 1024 * 2 ** i)

/** Creates metrics of events that watches have sent. Events that are sent in one write count with their average size. */
export function createWatchMetrics(registry: MetricsRegistry): WatchObserver {
  const total = registry.register(createCounter('apiserver_watch_events_total', '[ALPHA] Number of events sent to watch clients.'))
  const sizes = registry.register(
    createHistogram('apiserver_watch_events_sizes', '[ALPHA] Watch event size distribution in bytes.', sizeBuckets),
  )
  return ({ group, version, resource }) => {
    const labels = { group, version, resource }
    const count = total.with(labels)
    const size = sizes.with(labels)
    return (events, bytes) => {
      count.value += events
      for (let i = 0; i < events; i++) size.observe(bytes / events)
    }
  }
}
