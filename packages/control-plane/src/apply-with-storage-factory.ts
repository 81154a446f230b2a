import { systemClock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { createWatchCacheMetrics, createStorageWithCacher } from '@keelson/cacher'
import { createOnUse, createRESTOptionsGetter, createUndecoratedStorage } from '@keelson/registry'
import type { RESTOptionsGetter, StorageFactory } from '@keelson/registry'
import { storageDefaults } from './options/storage.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

export interface AppliedStorage {
  readonly storageFactory: StorageFactory
  readonly restOptionsGetter: RESTOptionsGetter
}

/** Creates the `RESTOptionsGetter`. It connects each resource to the store, either directly or through a watch cache. */
export function applyWithStorageFactoryTo(
  storageFactory: StorageFactory,
  options: ServerChainOptions,
  metrics: MetricsRegistry,
): AppliedStorage {
  const { clock, log } = options
  const { watchCache, ...otherOptions } = { ...storageDefaults, ...options.storage }
  const decorator = watchCache
    ? createStorageWithCacher({
        metrics: createWatchCacheMetrics(metrics),
        ...(clock && { clock: { now: () => clock.now(), after: systemClock.after } }),
        onError: (error) => log?.(0, 'Watch cache failed', { err: error }),
      })
    : createUndecoratedStorage
  const restOptionsGetter = createRESTOptionsGetter({
    storageFactory,
    decorator: otherOptions.opensOnUse === true ? createOnUse(decorator) : decorator,
    watchCacheSizes: otherOptions.watchCacheSizes,
    defaultWatchCacheSize: otherOptions.defaultWatchCacheSize,
    ...(otherOptions.eventTtlSeconds === undefined ? {} : { ttlSeconds: { events: otherOptions.eventTtlSeconds } }),
    deleteCollectionWorkers: otherOptions.deleteCollectionWorkers,
    enableGarbageCollection: otherOptions.enableGarbageCollection,
    ...(clock === undefined ? {} : { now: () => clock.now() }),
  })
  return { storageFactory, restOptionsGetter }
}
