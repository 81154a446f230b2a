import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { createWatchCacheMetrics, storageWithCacher } from '@keelson/cacher'
import { createRESTOptionsGetter, undecoratedStorage } from '@keelson/registry'
import type { RESTOptionsGetter, StorageFactory } from '@keelson/registry'
import type { ServerChainOptions } from './server-chain-options.ts'

export interface AppliedStorage {
  readonly storageFactory: StorageFactory
  readonly restOptionsGetter: RESTOptionsGetter
}

/** Creates the RESTOptionsGetter, which connects each resource to the store directly or through a watch cache. */
export function applyWithStorageFactoryTo(
  storageFactory: StorageFactory,
  options: ServerChainOptions,
  metrics: MetricsRegistry,
): AppliedStorage {
  const { clock } = options
  const decorator =
    (options.watchCache ?? true)
      ? storageWithCacher({
          metrics: createWatchCacheMetrics(metrics),
          onError: (error) => options.log?.(0, 'Watch cache failed', { err: error }),
        })
      : undecoratedStorage
  const restOptionsGetter = createRESTOptionsGetter({
    storageFactory,
    decorator,
    watchCacheSizes: options.watchCacheSizes,
    defaultWatchCacheSize: options.defaultWatchCacheSize,
    ...(options.eventTtlSeconds === undefined ? {} : { ttlSeconds: { events: options.eventTtlSeconds } }),
    ...(clock === undefined ? {} : { now: () => clock.now() }),
    ...(options.deleteCollectionWorkers === undefined ? {} : { deleteCollectionWorkers: options.deleteCollectionWorkers }),
    ...(options.enableGarbageCollection === undefined ? {} : { enableGarbageCollection: options.enableGarbageCollection }),
  })
  return { storageFactory, restOptionsGetter }
}
