import { hasMethods, isBoolean, isFunction, isNumber, isOneOf, isString, listOf, mapOf, objectOf, required } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import { restDefaults } from '@keelson/registry'
import type { StorageMediaType } from '@keelson/registry'
import type { Backend, Config, Drivers } from '@keelson/storagebackend'

/** Separate etcd servers for one resource. */
export interface StorageOverride {
  /** Resource as "group/resource"; the group of core is "". */
  readonly resource: string
  readonly servers: readonly string[]
}

/** Options of the object storage. */
export interface StorageOptions extends Config {
  /** Resources with separate servers of the same type. */
  readonly overrides?: readonly StorageOverride[]
  /** Encoding of objects written to etcd; both encodings are read. Default protobuf. */
  readonly mediaType?: StorageMediaType
  /** Custom drivers by `type`; override built-in ones of that name. The server closes the stores that they open. */
  readonly drivers?: Drivers
  /**
   * An open store to use instead of opening one. It stays open when the server closes, so that it can be reused. `type` then only selects
   * the encoding of objects.
   */
  readonly backend?: Backend
  /** An EncryptionConfiguration file. Default: no encryption. */
  readonly encryption?: { readonly configFile: string; readonly automaticReload?: boolean }
  /** Serves lists and watches from memory. */
  readonly watchCache?: boolean
  /** By resource, "pods" or "deployments.apps": 0 disables its watch cache, other numbers enable it. Default for events: 0. */
  readonly watchCacheSizes?: Readonly<Record<string, number>>
  /** For resources that `watchCacheSizes` does not name: 0 disables the watch cache, other numbers have no effect. */
  readonly defaultWatchCacheSize?: number
  /** Lifetime of events. Default: that of their definition. */
  readonly eventTtlSeconds?: number
  /** Number of objects that a deletecollection deletes concurrently. */
  readonly deleteCollectionWorkers?: number
  /** Supports foreground and orphan deletion, which the garbage collector carries out. */
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

const strings = listOf(isString)
const count = isNumber({ integer: true })

export const storageChecks: OptionTable<StorageOptions> = {
  type: isString,
  prefix: isString,
  transport: objectOf<NonNullable<Config['transport']>>({
    serverList: required(strings),
    keyFile: isString,
    certFile: isString,
    trustedCAFile: isString,
  }),
  compactionInterval: isNumber(),
  dataDir: isString,
  durability: isOneOf('fsync', 'memory'),
  overrides: listOf(objectOf<StorageOverride>({ resource: required(isString), servers: required(strings) })),
  mediaType: isString,
  drivers: mapOf(isFunction),
  backend: hasMethods('get', 'list', 'watch'),
  encryption: objectOf<NonNullable<StorageOptions['encryption']>>({ configFile: required(isString), automaticReload: isBoolean }),
  watchCache: isBoolean,
  watchCacheSizes: mapOf(count),
  defaultWatchCacheSize: count,
  eventTtlSeconds: isNumber(),
  deleteCollectionWorkers: count,
  enableGarbageCollection: isBoolean,
}
