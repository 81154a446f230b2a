import {
  hasMethods,
  isBoolean,
  isFunction,
  isNumber,
  isOneOf,
  isString,
  isListOf,
  isMapOf,
  isObjectOf,
  requireOption,
} from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { restDefaults } from '@keelson/registry'
import type { StorageMediaType } from '@keelson/registry'
import type { Backend, Config, Drivers } from '@keelson/storagebackend'

/** Separate etcd servers for one resource (`--etcd-servers-overrides`). */
export interface StorageOverride {
  /** Resource as "group/resource". The group of core resources is "". */
  readonly resource: string
  readonly servers: readonly string[]
}

/** Options of the object storage. */
export interface StorageOptions extends Config {
  /** Resources that are stored in separate etcd servers. */
  readonly overrides?: readonly StorageOverride[]
  /** Encoding of objects that are written to etcd. Objects in either encoding can be read. Default: protobuf. */
  readonly mediaType?: StorageMediaType
  /**
   * Custom storage drivers by `type`. They replace built-in drivers with the same name. The server closes the stores that it opens with
   * them.
   */
  readonly drivers?: Drivers
  /**
   * An open store that is used instead of opening one. It stays open when the server closes, so that it can be reused. With this option,
   * `type` only selects the encoding of objects.
   */
  readonly backend?: Backend
  /**
   * Whether `backend` has the objects that every cluster has: it is a copy of a store on which a server of this version has started. The server
   * then does not create or update them, which takes most of the time of a start. Default: false.
   */
  readonly hasBootstrapObjects?: boolean
  /**
   * Whether the storage and the watch cache of a resource are created by its first request. The server starts faster, and resources without
   * objects need less memory. The first request of each resource takes longer. Default: false.
   */
  readonly opensOnUse?: boolean
  /** Encryption at rest, configured by an EncryptionConfiguration file. Default: no encryption. */
  readonly encryption?: { readonly configFile: string; readonly automaticReload?: boolean }
  /** Serves lists and watches from an in-memory cache of each resource. */
  readonly watchCache?: boolean
  /**
   * Watch cache sizes by resource, such as "pods" or "deployments.apps". 0 disables the watch cache of the resource; any other number
   * enables it. Default for events: 0.
   */
  readonly watchCacheSizes?: Readonly<Record<string, number>>
  /** Watch cache size of resources that are not in `watchCacheSizes`. 0 disables their watch caches; any other number has no effect. */
  readonly defaultWatchCacheSize?: number
  /** Lifetime of events in seconds. Default: the lifetime in the definition of the resource. */
  readonly eventTtlSeconds?: number
  /** Number of objects that a deletecollection request deletes concurrently. */
  readonly deleteCollectionWorkers?: number
  /** Supports foreground and orphan deletion. Both need the garbage collector to complete. */
  readonly enableGarbageCollection?: boolean
}

export const storageDefaults: Required<
  Pick<
    StorageOptions,
    'type' | 'mediaType' | 'watchCache' | 'defaultWatchCacheSize' | 'deleteCollectionWorkers' | 'enableGarbageCollection'
  >
> = {
  type: 'memory',
  mediaType: 'application/vnd.kubernetes.protobuf',
  watchCache: true,
  ...restDefaults,
}

const strings = isListOf(isString)
const count = isNumber({ integer: true })

export const storageChecks: OptionTable<StorageOptions> = {
  type: isString,
  prefix: isString,
  transport: isObjectOf<NonNullable<Config['transport']>>({
    serverList: requireOption(strings),
    keyFile: isString,
    certFile: isString,
    trustedCAFile: isString,
  }),
  compactionInterval: isNumber(),
  dataDir: isString,
  durability: isOneOf('fsync', 'memory'),
  overrides: isListOf(isObjectOf<StorageOverride>({ resource: requireOption(isString), servers: requireOption(strings) })),
  mediaType: isString,
  drivers: isMapOf(isFunction),
  backend: hasMethods('get', 'list', 'watch'),
  hasBootstrapObjects: isBoolean,
  opensOnUse: isBoolean,
  encryption: isObjectOf<NonNullable<StorageOptions['encryption']>>({ configFile: requireOption(isString), automaticReload: isBoolean }),
  watchCache: isBoolean,
  watchCacheSizes: isMapOf(count),
  defaultWatchCacheSize: count,
  eventTtlSeconds: isNumber(),
  deleteCollectionWorkers: count,
  enableGarbageCollection: isBoolean,
}
