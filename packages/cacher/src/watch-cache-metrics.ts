import type { GroupResource } from '@keelson/apimachinery'
import { createCounter, createGauge, createHistogram, memoize } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry, Value } from '@keelson/apimachinery/metrics'

/** Metrics of watch caches, with kube-apiserver's names, so that its dashboards and alerts work. */
export interface WatchCacheMetrics {
  createResourceMetrics(resource: GroupResource): ResourceCacheMetrics
}

/** The metrics of one resource's cache. */
export interface ResourceCacheMetrics {
  countInitialization(): void
  /** Counts changes that the cache received from the store. */
  countReceived(count: number): void
  countDispatched(count: number): void
  /** Sets the revision up to which the cache has every change. */
  setRevision(revision: number): void
  /** Records that the event ring was resized. */
  recordCapacity(from: number, to: number): void
  /** Counts objects in the initial events of watches. */
  countInitialEvents(count: number): void
  /** Counts watchers that ended because their reader had stalled. */
  countTermination(): void
  /** Records the time that a read waited for a revision. */
  recordWait(seconds: number): void
  countConsistentRead(success: boolean, fallback: boolean): void
  /** Records a list. `index` is the name of the index that the list used, or "" for none. */
  recordList(index: string, fetched: number, returned: number): void
  countComparison(status: 'success' | 'failure' | 'error'): void
  /** Removes the resource's gauges. */
  close(): void
}

const waitBuckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3]
/** Revisions are reported modulo this number, because a double represents only smaller integers exactly. */
const revisionDigits = 1e15

export function createWatchCacheMetrics(registry: MetricsRegistry): WatchCacheMetrics {
  const registerCounter = (name: string, help: string): ReturnType<typeof createCounter> =>
    registry.register(createCounter(name, `[ALPHA] ${help}`))
  const registerGauge = (name: string, help: string): ReturnType<typeof createGauge> =>
    registry.register(createGauge(name, `[ALPHA] ${help}`))
  const lists = registerCounter('apiserver_cache_list_total', 'LIST requests served from the watch cache.')
  const fetched = registerCounter('apiserver_cache_list_fetched_objects_total', 'Objects read from the watch cache to serve LIST requests.')
  const returned = registerCounter(
    'apiserver_cache_list_returned_objects_total',
    'Objects returned for LIST requests from the watch cache.',
  )
  const initialEvents = registerCounter('apiserver_init_events_total', 'Objects that watches began with.')
  const received = registerCounter('apiserver_watch_cache_events_received_total', 'Events that watch caches received from the store.')
  const dispatched = registerCounter('apiserver_watch_cache_events_dispatched_total', 'Events that watch caches handed out.')
  const terminated = registerCounter('apiserver_terminated_watchers_total', 'Watches that were ended because they were not read.')
  const revisions = registerGauge(
    'apiserver_watch_cache_resource_version',
    'Up to which resource version the watch cache knows everything: its 15 last digits.',
  )
  const increases = registerCounter('watch_cache_capacity_increase_total', 'How often a watch cache made room for more events.')
  const decreases = registerCounter('watch_cache_capacity_decrease_total', 'How often a watch cache made its room for events smaller.')
  const capacity = registerGauge('watch_cache_capacity', 'How many events the watch cache has room for.')
  const initializations = registerCounter(
    'apiserver_watch_cache_initializations_total',
    'How often a watch cache was filled from the store.',
  )
  const waitDurations = registry.register(
    createHistogram('apiserver_watch_cache_read_wait_seconds', '[ALPHA] How long reads waited for a watch cache to be fresh.', waitBuckets),
  )
  const consistentReads = registerCounter('apiserver_watch_cache_consistent_read_total', 'Consistent reads from watch caches.')
  const checks = registerCounter('apiserver_storage_consistency_checks_total', 'Comparisons of watch cache and store, by outcome.')

  return {
    createResourceMetrics({ group, resource }) {
      const labels = { group, resource }
      const series = {
        received: memoize(() => received.with(labels)),
        dispatched: memoize(() => dispatched.with(labels)),
        revision: memoize(() => revisions.with(labels)),
        wait: memoize(() => waitDurations.with(labels)),
      }
      return {
        countInitialization: () => add(initializations.with(labels), 1),
        countReceived: (count) => add(series.received(), count),
        countDispatched: (count) => add(series.dispatched(), count),
        setRevision: (revision) => void (series.revision().value = revision % revisionDigits),
        recordCapacity(from, to) {
          capacity.with(labels).value = to
          if (from !== to) add((from < to ? increases : decreases).with(labels), 1)
        },
        countInitialEvents: (count) => add(initialEvents.with(labels), count),
        countTermination: () => add(terminated.with(labels), 1),
        recordWait: (seconds) => series.wait().observe(seconds),
        countConsistentRead: (success, fallback) =>
          add(consistentReads.with({ ...labels, success: String(success), fallback: String(fallback) }), 1),
        recordList(index, read, returnedCount) {
          add(lists.with({ ...labels, index }), 1)
          add(fetched.with({ ...labels, index }), read)
          add(returned.with(labels), returnedCount)
        },
        countComparison: (status) => add(checks.with({ ...labels, status }), 1),
        close: () => [revisions, capacity].forEach((gauge) => gauge.delete(labels)),
      }
    },
  }
}

function add(value: Value, count: number): void {
  value.value += count
}
