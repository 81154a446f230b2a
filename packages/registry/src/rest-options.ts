import type { KindType } from '@keelson/api'
import { groupResourceString } from '@keelson/apimachinery'
import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
import { createObjectStore } from '@keelson/storagebackend'
import type {
  Backend,
  DefaultOnRead,
  ObjectCodec,
  Storage,
  StorageMetrics,
  StorageRequest,
  ValueTransformer,
} from '@keelson/storagebackend'
import type { StorageFacts } from './resource-definition.ts'
import type { StorageFactory } from './storage-factory.ts'

/** Creates the storage of a resource: `storageWithCacher()` or `undecoratedStorage`. */
export type StorageDecorator = <T extends KubeObject>(request: StorageRequest<T>) => Storage<T>

/** The properties of a resource that its codec depends on. */
export interface CodecRequest<T extends KubeObject = KubeObject> {
  readonly kind: KindType
  /** The stored version. Default: that of the kind. */
  readonly storedVersion?: string
  /** Getters of the selectable fields, including metadata.name, and metadata.namespace for namespaced kinds. */
  readonly selectableFields: Readonly<Record<string, (object: DeepReadonly<T>) => string>>
  /** Whether objects are stored without a name, which is then the last part of the key, as in kube-apiserver. Default: false. */
  readonly namedByKey?: boolean
  /** The definition's `defaultOnRead`. Codecs that set all defaults on read ignore it. */
  readonly defaultOnRead?: DefaultOnRead<T> | undefined
}
/** Creates the codec of a kind: records for the embedded store, kube-apiserver's encoding for etcd. */
export type CodecFactory = <T extends KubeObject>(request: CodecRequest<T>) => ObjectCodec<T>

/** The storage options of one resource. */
export interface RESTOptions {
  readonly backend: Backend
  readonly createCodec: CodecFactory
  readonly decorator: StorageDecorator
  /** The prefix of the resource's keys without the final slash: "/registry/services/specs". */
  readonly resourcePrefix: string
  /** Encryption at rest. Absent: none. */
  readonly transformer?: ValueTransformer
  /** Metrics of the storage. Absent: nothing is measured. */
  readonly metrics?: StorageMetrics
  /** The time to live of objects after their last write, in seconds. Absent: unlimited. */
  readonly ttlSeconds?: number
  /** The clock for timestamps and leases, in milliseconds since the epoch. Absent: the system clock. */
  readonly now?: () => number
  readonly deleteCollectionWorkers: number
  /** Whether propagation policies set finalizers, which only a garbage collector removes. Default: true. */
  readonly enableGarbageCollection?: boolean
}
/** Returns the storage options of each resource. */
export interface RESTOptionsGetter {
  /** Returns the storage options of a resource. `facts` are the storage settings in its definition. */
  getRESTOptions(resource: GroupResource, facts?: StorageFacts): RESTOptions
}

/** The storage options of a server, by resource. */
export interface RESTOptionsGetterOptions {
  readonly storageFactory: StorageFactory
  /** Creates each storage. Default: `undecoratedStorage`, without a watch cache. */
  readonly decorator?: StorageDecorator
  /**
   * Watch cache sizes by resource ("pods", "deployments.apps"). 0 disables the watch cache, other numbers enable it. The real size adapts to the
   * load.
   */
  readonly watchCacheSizes?: Readonly<Record<string, number>> | undefined
  /** The watch cache size of all other resources. 0 disables the watch cache, other numbers leave the choice to the resource's definition. */
  readonly defaultWatchCacheSize?: number | undefined
  /** Time to live by resource, in seconds. Default: that of the resource's definition. */
  readonly ttlSeconds?: Readonly<Record<string, number>> | undefined
  readonly deleteCollectionWorkers?: number
  readonly enableGarbageCollection?: boolean
  /** Milliseconds since the epoch. Default: the system clock. */
  readonly now?: () => number
}

/** Creates a `RESTOptionsGetter` from the options of a server. */
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

export const restDefaults = {
  defaultWatchCacheSize: 100,
  /** kube-apiserver has 1. Here concurrent deletions share a flush to disk. */
  deleteCollectionWorkers: 16,
  enableGarbageCollection: true,
} as const

/** Creates a storage without a watch cache. */
export function undecoratedStorage<T extends KubeObject>(request: StorageRequest<T>): Storage<T> {
  return newRawStorage(request)
}

/** Creates the storage that every decorator wraps. */
export function newRawStorage<T extends KubeObject>(request: StorageRequest<T>): Storage<T> {
  return createObjectStore<T>(request)
}

/** REST options with a list of the storages created through them. */
export interface TrackedStorages {
  readonly restOptions: RESTOptionsGetter
  /** All storages created through `restOptions`, for readiness checks and for closing. */
  readonly storages: readonly Storage[]
}

/** Wraps REST options so that the storages created through them are recorded. */
export function trackStorages(restOptions: RESTOptionsGetter): TrackedStorages {
  const storages: Storage[] = []
  return {
    storages,
    restOptions: {
      getRESTOptions(resource, facts) {
        const options = restOptions.getRESTOptions(resource, facts)
        const decorator = <T extends KubeObject>(request: StorageRequest<T>): Storage<T> => {
          const storage = options.decorator(request)
          storages.push(storage as unknown as Storage)
          return storage
        }
        return { ...options, decorator }
      },
    },
  }
}
