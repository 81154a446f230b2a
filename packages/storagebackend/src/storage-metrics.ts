import { groupResourceString, TimeSlice } from '@keelson/apimachinery'
import type { GroupResource, KubeObject } from '@keelson/apimachinery'
import { createCounter, createGauge, createHistogram, memoize } from '@keelson/apimachinery/metrics'
import type { Histogram, MetricsRegistry, Value, ValueVector } from '@keelson/apimachinery/metrics'
import type { StorageStats } from './storage.ts'
import { hasSnapshots } from './backend.ts'
import type { Entry } from './backend.ts'
import { createPrefixRange } from './object-key.ts'
import type { ObjectAccess } from './object-access.ts'

const durationBuckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]

/** The kinds of requests to a driver, with the names that kube-apiserver's metrics use. */
export type StorageOperation = 'get' | 'create' | 'update' | 'delete' | 'list' | 'listWithCount'

/**
 * Metrics of all storages. The metrics have kube-apiserver's names, so that its dashboards and alerts work. Some names contain "etcd",
 * although the driver may be another one.
 */
export interface StorageMetrics {
  /** Creates the metrics of one resource. `refresh` calls `stats` until `close` is called. */
  createResourceMetrics(resource: GroupResource, stats: () => Promise<StorageStats>): ResourceMetrics
  /**
   * Updates the number of objects of each resource, one resource after the other, and the size of the store. An unknown number is reported
   * as -1.
   */
  refresh(size?: () => Promise<number>): Promise<void>
  /** Returns the result of the last successful `refresh` of a resource. Undefined if its objects were never counted. */
  findStats(resource: GroupResource): CountedStats | undefined
}

export interface CountedStats extends StorageStats {
  /** Time of the count, as returned by `performance.now()`. */
  readonly countedAt: number
}

/** Metrics of one resource's object store. Time series are created on first use. After that, recording allocates nothing. */
export interface ResourceMetrics {
  /** Records a request to the driver. `started` is the value of `performance.now()` before the request. */
  request(operation: StorageOperation, started: number, failed: boolean): void
  /** Records a list, with the number of entries that were fetched, tested against the selector, and returned. */
  recordList(fetched: number, evaluated: number, returned: number): void
  countUndecodable(): void
  countEvents(count: number): void
  countBookmark(): void
  /** Removes the resource's time series. */
  close(): void
}

export function createStorageMetrics(registry: MetricsRegistry): StorageMetrics {
  const registerCounter = (name: string, help: string): ValueVector => registry.register(createCounter(name, help))
  const registerGauge = (name: string, help: string): ValueVector => registry.register(createGauge(name, help))
  const durations = registry.register(
    createHistogram(
      'etcd_request_duration_seconds',
      '[ALPHA] Latency of requests to the store, by operation and resource.',
      durationBuckets,
    ),
  )
  const requests = registerCounter('etcd_requests_total', '[ALPHA] Requests to the store, by operation and resource.')
  const errors = registerCounter('etcd_request_errors_total', '[ALPHA] Requests to the store that failed, by operation and resource.')
  const counts = registerGauge(
    'apiserver_storage_objects',
    '[STABLE] (Deprecated since 1.34.0) Objects in the store when they were last counted, -1 where that failed. See apiserver_resource_objects.',
  )
  const resourceCounts = registerGauge(
    'apiserver_resource_objects',
    '[ALPHA] Objects in the store when they were last counted, -1 where that failed.',
  )
  const sizes = registerGauge(
    'apiserver_resource_size_estimate_bytes',
    '[ALPHA] Estimated bytes of stored objects, -1 where they are not known.',
  )
  const storeSize = registerGauge('apiserver_storage_size_bytes', '[STABLE] Size of the store, physically allocated, in bytes.')
  const received = registerCounter('apiserver_storage_events_received_total', '[BETA] Changes received from the store.')
  const bookmarks = registerCounter('etcd_bookmark_total', '[ALPHA] Progress notifications received from the store.')
  const lists = registerCounter('apiserver_storage_list_total', '[ALPHA] LIST requests served from the store.')
  const fetched = registerCounter(
    'apiserver_storage_list_fetched_objects_total',
    '[ALPHA] Objects read from the store to serve LIST requests.',
  )
  const evaluated = registerCounter(
    'apiserver_storage_list_evaluated_objects_total',
    '[ALPHA] Objects tested to serve LIST requests from the store.',
  )
  const returned = registerCounter(
    'apiserver_storage_list_returned_objects_total',
    '[ALPHA] Objects returned for LIST requests from the store.',
  )
  const decodeErrors = registerCounter('apiserver_storage_decode_errors_total', '[ALPHA] Stored objects that could not be decoded.')

  const observed = new Set<() => Promise<void>>()
  const latestStats = new Map<string, CountedStats>()

  function createResourceMetrics(resource: GroupResource, stats: () => Promise<StorageStats>): ResourceMetrics {
    const labels = { group: resource.group, resource: resource.resource }
    const qualified = { resource: groupResourceString(resource) }
    const operations: Partial<Record<StorageOperation, OperationSeries>> = {}
    const listSeries = memoize(() => [lists, fetched, evaluated, returned].map((each) => each.with(labels)) as [Value, Value, Value, Value])
    const receivedSeries = memoize(() => received.with(labels))
    const bookmarkSeries = memoize(() => bookmarks.with(labels))
    const observe = async (): Promise<void> => {
      const learnt = await ignoreFailure(stats())
      // The resource was closed while its objects were counted.
      if (!observed.has(observe)) return
      if (learnt !== undefined) latestStats.set(qualified.resource, { ...learnt, countedAt: performance.now() })
      counts.with(qualified).value = resourceCounts.with(labels).value = learnt?.objectCount ?? -1
      sizes.with(labels).value = learnt ? learnt.objectCount * learnt.estimatedAverageObjectSize : -1
    }
    observed.add(observe)
    return {
      request(operation, started, failed) {
        let series = operations[operation]
        if (series === undefined) {
          const allLabels = { operation, ...labels }
          series = {
            duration: durations.with(allLabels),
            requests: requests.with(allLabels),
            errors: memoize(() => errors.with(allLabels)),
          }
          operations[operation] = series
        }
        series.duration.observe((performance.now() - started) / 1000)
        series.requests.value++
        if (failed) series.errors().value++
      },
      recordList(read, tried, returnedCount) {
        const series = listSeries()
        series[0].value++
        series[1].value += read
        series[2].value += tried
        series[3].value += returnedCount
      },
      countUndecodable: () => void decodeErrors.with(labels).value++,
      countEvents: (count) => void (receivedSeries().value += count),
      countBookmark: () => void bookmarkSeries().value++,
      close() {
        observed.delete(observe)
        latestStats.delete(qualified.resource)
        counts.delete(qualified)
        for (const gauge of [resourceCounts, sizes]) gauge.delete(labels)
      },
    }
  }

  return {
    createResourceMetrics: createResourceMetrics,
    findStats: (resource) => latestStats.get(groupResourceString(resource)),
    async refresh(size) {
      for (const observe of observed) await observe()
      if (size) storeSize.with({ storage_cluster_id: 'etcd-0' }).value = (await ignoreFailure(size())) ?? -1
    },
  }
}

function ignoreFailure<V>(call: Promise<V>): Promise<V | undefined> {
  return call.catch(() => undefined)
}

interface OperationSeries {
  readonly duration: Histogram
  readonly requests: Value
  readonly errors: () => Value
}

/** The number of objects whose average size is computed, for drivers without snapshots. */
const sampled = 100

/**
 * Returns the number and average stored size of the objects under `prefix`. The average is exact if the driver has snapshots. Otherwise it
 * is the average of a sample.
 */
export async function measureStorage<T extends KubeObject>(access: ObjectAccess<T>, prefix: string): Promise<StorageStats> {
  const range = createPrefixRange(prefix)
  const { backend } = access
  if (!hasSnapshots(backend)) {
    const { entries, count } = await access.measure('listWithCount', prefix, () => backend.list(range, { limit: sampled }))
    return { objectCount: count, estimatedAverageObjectSize: await computeAverageSize(entries) }
  }
  const snapshot = await access.measure('listWithCount', prefix, () => backend.takeSnapshot())
  return { objectCount: snapshot.count(range), estimatedAverageObjectSize: await computeAverageSize(snapshot.scan(range)) }
}

async function computeAverageSize(entries: Iterable<Entry>): Promise<number> {
  const slice = new TimeSlice(64)
  let count = 0
  let total = 0
  for (const { value } of entries) {
    count++
    total += value.length
    const pause = slice.pauseIfOver()
    if (pause) await pause
  }
  return count === 0 ? 0 : Math.floor(total / count)
}
