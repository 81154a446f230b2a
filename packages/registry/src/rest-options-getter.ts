import { groupResourceString } from '@keelson/apimachinery'
import type { GroupResource } from '@keelson/apimachinery'
import { restDefaults } from './rest-defaults.ts'
import type { StorageFacts } from './resource-definition.ts'
import type { RESTOptions, RESTOptionsGetter, StorageDecorator } from './rest-options.ts'
import type { StorageFactory } from './storage-factory.ts'
import { undecoratedStorage } from './undecorated-storage.ts'

export interface RESTOptionsGetterOptions {
  readonly storageFactory: StorageFactory
  /** `storageWithCacher()`. Default: no watch cache at all. */
  readonly decorator?: StorageDecorator
  /** By resource, "pods" or "deployments.apps": 0 disables the watch cache, other numbers enable it. Its size adapts to the load. */
  readonly watchCacheSizes?: Readonly<Record<string, number>> | undefined
  /** For resources that `watchCacheSizes` does not name: 0 disables the watch cache, other numbers leave it to the resource's definition. */
  readonly defaultWatchCacheSize?: number | undefined
  /** By resource: how long objects are kept after their last write. Default: as the resource's definition says. */
  readonly ttlSeconds?: Readonly<Record<string, number>> | undefined
  readonly deleteCollectionWorkers?: number
  readonly enableGarbageCollection?: boolean
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: () => number
}

export function createRESTOptionsGetter(options: RESTOptionsGetterOptions): RESTOptionsGetter {
  const {
    storageFactory,
    decorator = undecoratedStorage,
    watchCacheSizes = {},
    defaultWatchCacheSize = restDefaults.defaultWatchCacheSize,
    ttlSeconds: ttls = {},
  } = options
  return {
    getRESTOptions(resource: GroupResource, facts: StorageFacts = {}): RESTOptions {
      const name = groupResourceString(resource)
      const ttlSeconds = ttls[name] ?? facts.ttlSeconds
      const size = watchCacheSizes[name] ?? ((facts.watchCache ?? true) ? defaultWatchCacheSize : 0)
      return {
        ...storageFactory.newConfig(resource, facts),
        decorator: size === 0 ? undecoratedStorage : decorator,
        deleteCollectionWorkers: options.deleteCollectionWorkers ?? restDefaults.deleteCollectionWorkers,
        enableGarbageCollection: options.enableGarbageCollection ?? restDefaults.enableGarbageCollection,
        ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
        ...(options.now === undefined ? {} : { now: options.now }),
      }
    },
  }
}
