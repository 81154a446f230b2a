import { groupResourceString } from '@keelson/apimachinery'
import type { GroupResource } from '@keelson/apimachinery'
import type { RESTOptions, RESTOptionsGetter, StorageDecorator } from './rest-options.ts'
import type { StorageFactory } from './storage-factory.ts'
import { undecoratedStorage } from './undecorated-storage.ts'

export interface RESTOptionsGetterOptions {
  readonly storageFactory: StorageFactory
  /** `storageWithCacher()`. Default: no watch cache at all. */
  readonly decorator?: StorageDecorator
  /** By resource, "pods" or "deployments.apps": 0 is no watch cache. How large one is, it decides by itself. */
  readonly watchCacheSizes?: Readonly<Record<string, number>> | undefined
  /** Of resources that have no size: 0 is no watch cache. */
  readonly defaultWatchCacheSize?: number | undefined
  /** Default 16, where the original's is 1: those that are under way reach the disk together. */
  readonly deleteCollectionWorkers?: number
  readonly enableGarbageCollection?: boolean
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: () => number
}

/** Events are many, short-lived and seldom read. */
const defaultSizes: Readonly<Record<string, number>> = { events: 0, 'events.events.k8s.io': 0 }

export function createRESTOptionsGetter(options: RESTOptionsGetterOptions): RESTOptionsGetter {
  const { storageFactory, decorator = undecoratedStorage, defaultWatchCacheSize = 100 } = options
  const sizes = { ...defaultSizes, ...options.watchCacheSizes }
  return {
    getRESTOptions(resource: GroupResource): RESTOptions {
      const size = sizes[groupResourceString(resource)] ?? defaultWatchCacheSize
      return {
        ...storageFactory.newConfig(resource),
        decorator: size === 0 ? undecoratedStorage : decorator,
        deleteCollectionWorkers: options.deleteCollectionWorkers ?? 16,
        enableGarbageCollection: options.enableGarbageCollection ?? true,
        ...(options.now === undefined ? {} : { now: options.now }),
      }
    },
  }
}
