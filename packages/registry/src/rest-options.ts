import type { KindType } from '@keelson/api'
import { groupResourceString } from '@keelson/apimachinery'
import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
import { createObjectStore } from '@keelson/storagebackend'
import type {
  Backend,
  DefaultOnRead,
  LargeMember,
  ObjectCodec,
  Storage,
  StorageMetrics,
  StorageRequest,
  StoredVersions,
  ValueTransformer,
} from '@keelson/storagebackend'
import { LazyStorage } from './lazy-storage.ts'
import type { StorageFacts } from './resource-definition.ts'
import type { StorageFactory } from './storage-factory.ts'

/** Creates the storage of a resource: `createStorageWithCacher()` or `createUndecoratedStorage`. */
export type StorageDecorator = <T extends KubeObject>(request: StorageRequest<T>) => Storage<T>

/** The properties of a resource from which its codec is created. */
export interface CodecRequest<T extends KubeObject = KubeObject> {
  readonly kind: KindType
  /** The version in which objects are stored. Default: the version of `kind`. */
  readonly storedVersion?: string
  /** Functions that return the selectable fields, including metadata.name, and metadata.namespace for namespaced kinds. */
  readonly selectableFields: Readonly<Record<string, (object: DeepReadonly<T>) => string>>
  /**
   * Whether stored objects lack a name, as in kube-apiserver for this resource. The codec then takes the name from the last segment of the
   * key. Default: false.
   */
  readonly namedByKey?: boolean
  /** Defaults that are set on read, from the definition's `defaultOnRead`. Codecs that set all defaults on read ignore this option. */
  readonly defaultOnRead?: DefaultOnRead<T> | undefined
  /** The versions in which the store may hold the objects, for a custom resource. Default: all objects have one version. */
  readonly versions?: CustomVersions<T> | undefined
  /** A large member that is decoded on first use, from the definition's `largeMember`. */
  readonly largeMember?: LargeMember | undefined
}

/** The versions of a custom resource, for its codec. */
export interface CustomVersions<T extends KubeObject = KubeObject> extends StoredVersions<T> {
  /**
   * A checksum of the storage version's schema, from 1 to 2^32 - 1. Records with this number are read without `refresh`, because the same
   * schema already pruned and defaulted their objects.
   */
  readonly schemaVersion: number
}
/** Creates the codec of a kind. The embedded store uses records, and etcd uses kube-apiserver's encoding. */
export type CodecFactory = <T extends KubeObject>(request: CodecRequest<T>) => ObjectCodec<T>

/** The storage options of one resource. */
export interface RESTOptions {
  readonly backend: Backend
  readonly createCodec: CodecFactory
  readonly decorator: StorageDecorator
  /** The prefix of the resource's keys without the final slash: "/registry/services/specs". */
  readonly resourcePrefix: string
  /** The transformer for encryption at rest. Absent: values are stored unencrypted. */
  readonly transformer?: ValueTransformer
  /** Metrics of the storage. Absent: nothing is measured. */
  readonly metrics?: StorageMetrics
  /** The time to live of objects after their last write, in seconds. Absent: unlimited. */
  readonly ttlSeconds?: number
  /** The clock for timestamps and leases, in milliseconds since the epoch. Absent: the system clock. */
  readonly now?: () => number
  readonly deleteCollectionWorkers: number
  /** Whether propagation policies add finalizers to deleted objects. Only a garbage collector removes these finalizers. Default: true. */
  readonly enableGarbageCollection?: boolean
}
/** Returns the storage options of each resource of a server. */
export interface RESTOptionsGetter {
  /** Returns the storage options of a resource. `facts` are the storage settings in its definition. */
  getRESTOptions(resource: GroupResource, facts?: StorageFacts): RESTOptions
}

/** The settings from which the storage options of each resource are derived. */
export interface RESTOptionsGetterOptions {
  readonly storageFactory: StorageFactory
  /** The function that creates each storage. Default: `createUndecoratedStorage`, which has no watch cache. */
  readonly decorator?: StorageDecorator
  /**
   * Watch cache sizes by resource ("pods", "deployments.apps"). 0 disables the watch cache, and other numbers enable it. The actual size
   * adapts to the load.
   */
  readonly watchCacheSizes?: Readonly<Record<string, number>> | undefined
  /**
   * The watch cache size of all other resources. With 0 the watch cache is disabled. With another number the resource's definition decides
   * whether it is enabled.
   */
  readonly defaultWatchCacheSize?: number | undefined
  /** Time to live by resource, in seconds. Default: the time to live in the resource's definition. */
  readonly ttlSeconds?: Readonly<Record<string, number>> | undefined
  readonly deleteCollectionWorkers?: number
  readonly enableGarbageCollection?: boolean
  /** Returns the time in milliseconds since the epoch. Default: the system clock. */
  readonly now?: () => number
}

/** Creates a `RESTOptionsGetter` from the options of a server. */
export function createRESTOptionsGetter(options: RESTOptionsGetterOptions): RESTOptionsGetter {
  const {
    storageFactory,
    decorator = createUndecoratedStorage,
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
        decorator: size === 0 ? createUndecoratedStorage : decorator,
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
  /** kube-apiserver's default is 1. A higher number is faster here, because concurrent deletions share one flush to disk. */
  deleteCollectionWorkers: 16,
  enableGarbageCollection: true,
} as const

/** Creates a storage without a watch cache. */
export function createUndecoratedStorage<T extends KubeObject>(request: StorageRequest<T>): Storage<T> {
  return newRawStorage(request)
}

/** Returns a decorator that creates each storage on its first request. */
export function createOnUse(decorator: StorageDecorator): StorageDecorator {
  return (request) => {
    const { backend, prefix } = request
    return new LazyStorage({ create: () => decorator(request), closesStorage: true, backend, prefix })
  }
}

/** Creates the storage that decorators such as `createStorageWithCacher()` wrap. */
export function newRawStorage<T extends KubeObject>(request: StorageRequest<T>): Storage<T> {
  return request.storage ?? createObjectStore<T>(request)
}

/** REST options that record the storages created through them. */
export interface TrackedStorages {
  readonly restOptions: RESTOptionsGetter
  /** All storages created through `restOptions`, for readiness checks and for closing. */
  readonly storages: readonly Storage[]
}

/** Wraps REST options so that every storage created through them is recorded in `storages`. */
export function trackStorages(restOptions: RESTOptionsGetter): TrackedStorages {
  const storages: Storage[] = []
  return {
    storages,
    restOptions: {
      getRESTOptions(resource, facts) {
        const options = restOptions.getRESTOptions(resource, facts)
        const decorateStorage = <T extends KubeObject>(request: StorageRequest<T>): Storage<T> => {
          const storage = options.decorator(request)
          storages.push(storage as unknown as Storage)
          return storage
        }
        return { ...options, decorator: decorateStorage }
      },
    },
  }
}
