import type { KubeObject } from '@keelson/apimachinery'
import { createObjectStore, hasCompaction } from '@keelson/storagebackend'
import type { Storage, StorageRequest } from '@keelson/storagebackend'
import { Cacher } from './cacher.ts'
import type { CacherOptions } from './cacher.ts'
import type { WatchCacheMetrics } from './watch-cache-metrics.ts'

type CacherSettings = Pick<
  CacherOptions,
  'clock' | 'ring' | 'freshnessTimeout' | 'digestPeriod' | 'onError' | 'watcherLimits' | 'stalledAfter' | 'bookmarkTimes'
>

export interface StorageWithCacherOptions extends CacherSettings {
  readonly metrics?: WatchCacheMetrics | undefined
}

/** Creates a `StorageDecorator` that adds a watch cache to the storage of each resource. */
export function createStorageWithCacher(
  options: StorageWithCacherOptions = {},
): <T extends KubeObject>(request: StorageRequest<T>) => Storage<T> {
  const { metrics, ...settings } = options
  return <T extends KubeObject>(request: StorageRequest<T>): Storage<T> => {
    const { backend, resource, prefix, triggerField } = request
    return new Cacher<T>({
      ...settings,
      storage: request.storage ?? createObjectStore<T>(request),
      prefix,
      resource,
      triggerField,
      metrics: metrics?.createResourceMetrics(resource),
      requestProgress: () => backend.requestProgress(),
      compactedRevision: hasCompaction(backend) ? () => backend.getCompactedRevision() : undefined,
    })
  }
}
