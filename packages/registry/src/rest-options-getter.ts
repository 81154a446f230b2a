import type { GroupResource } from '@keelson/apimachinery'
import type { RESTOptions, RESTOptionsGetter, StorageDecorator } from './rest-options.ts'
import type { StorageFactory } from './storage-factory.ts'
import { undecoratedStorage } from './undecorated-storage.ts'

export interface RESTOptionsGetterOptions {
  readonly storageFactory: StorageFactory
  /** `storageWithCacher()`. Default: no watch cache at all. */
  readonly decorator?: StorageDecorator
  /** "events", "events.events.k8s.io": resources that are never cached. Default: those two. */
  readonly uncachedResources?: ReadonlySet<string>
  /** Default 1, as the original's. */
  readonly deleteCollectionWorkers?: number
  readonly enableGarbageCollection?: boolean
}

/** Events are many, short-lived and seldom read. */
export const defaultUncachedResources: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io'])

export function createRESTOptionsGetter(options: RESTOptionsGetterOptions): RESTOptionsGetter {
  const { storageFactory, decorator = undecoratedStorage, uncachedResources = defaultUncachedResources } = options
  return {
    getRESTOptions(resource: GroupResource): RESTOptions {
      const name = resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`
      return {
        ...storageFactory.newConfig(resource),
        decorator: uncachedResources.has(name) ? undecoratedStorage : decorator,
        deleteCollectionWorkers: options.deleteCollectionWorkers ?? 1,
        enableGarbageCollection: options.enableGarbageCollection ?? true,
      }
    },
  }
}
