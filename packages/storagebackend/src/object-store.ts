import { systemClock } from '@keelson/apimachinery'
import type { GroupResource, KubeObject, Span } from '@keelson/apimachinery'
import type { Backend, ListPage } from './backend.ts'
import { deleteObject, deleteUnreadable, runGuaranteedUpdate } from './object-writes.ts'
import { newKeyExistsError, newKeyNotFoundError, StorageError, newTooLargeError } from './errors.ts'
import { createKeyRange, createPrefixRange, prepareKey } from './object-key.ts'
import { LeasePool } from './lease-pool.ts'
import { ObjectAccess, createObjectSnapshots } from './object-access.ts'
import { listObjects } from './object-list.ts'
import { watchObjects } from './object-watch.ts'
import { OpenWatches } from './open-watches.ts'
import { slowStepMs, startListStep, startWriteStep } from './storage-steps.ts'
import { requireParsableResourceVersion, requireResourceVersion } from './resource-version.ts'
import type { ObjectCodec, Storage, StorageStats } from './storage.ts'
import type { StorageMetrics } from './storage-metrics.ts'
import { measureStorage } from './storage-metrics.ts'
import { UnreadableObjects } from './unreadable-objects.ts'
import type { ValueTransformer } from './value-transformer.ts'

export interface ObjectStoreOptions<T extends KubeObject> {
  /** The driver. Several storages may share it, so `close` does not close the driver. */
  readonly backend: Backend
  readonly codec: ObjectCodec<T>
  readonly resource: GroupResource
  /** The prefix of all keys of the resource: "/registry/pods/". */
  readonly prefix: string
  /**
   * The transformer for encryption at rest. It encrypts encoded objects and decrypts stored values. Absent: values are stored unencrypted.
   */
  readonly transformer?: ValueTransformer
  /**
   * Whether the error of a list names all unreadable objects (at most 100). If false, it names only the first one, as in kube-apiserver.
   * Default: false.
   */
  readonly collectUnreadable?: boolean
  readonly metrics?: StorageMetrics
  /** The internal Go type of the objects, "core.Pod", for traces. Default: traces do not have it. */
  readonly typeName?: string | undefined
  /** Returns the time in milliseconds since the epoch. Default: the system clock. */
  readonly now?: () => number
}

/** The options with which a decorator creates the storage of one resource. */
export interface StorageRequest<T extends KubeObject = KubeObject> extends ObjectStoreOptions<T> {
  /** The selectable field that most watchers use. Only a watch cache uses this option. */
  readonly triggerField?: string
  /** The storage to decorate. Default: an object store with the other options. */
  readonly storage?: Storage<T>
}

/** Creates the storage of one resource on a driver, without a cache. */
export function createObjectStore<T extends KubeObject = KubeObject>(options: ObjectStoreOptions<T>): Storage<T> {
  const { backend, codec, resource } = options
  const prefix = options.prefix.endsWith('/') ? options.prefix : `${options.prefix}/`
  const measureStats = (): Promise<StorageStats> => measureStorage(access, prefix)
  const metrics = options.metrics?.createResourceMetrics(resource, measureStats)
  const access = new ObjectAccess({ backend, codec, transformer: options.transformer, metrics })
  const leases = new LeasePool(backend, options.now ?? systemClock.now)
  const openWatches = new OpenWatches()

  const listCount = (key: string, span?: Span): Promise<ListPage> =>
    access.measure('listWithCount', key, () => backend.list(createPrefixRange(key), { countOnly: true, ...(span && { span }) }))

  return {
    async create(rawKey, object, { ttlSeconds, span } = {}) {
      const key = prepareKey(prefix, rawKey, false)
      const version = object.metadata.resourceVersion
      if (version !== undefined && version !== '' && version !== '0') {
        throw new Error('resourceVersion should not be set on objects to be created')
      }
      const step = span && startWriteStep(span, 'Create etcd3', { key: rawKey, resource, type: options.typeName })
      try {
        step?.addEvent('About to Encode')
        const encoding = access.encode(object, key)
        const bytes = encoding instanceof Promise ? await encoding : encoding
        step?.addEvent('Encode succeeded', { len: bytes.length })
        const lease = ttlSeconds ? await leases.lease(key, ttlSeconds) : 0
        const result = await access.put({ key, bytes, lease }, 0, step && { span: step })
        step?.addEvent('Txn call succeeded')
        if (!result.committed) throw newKeyExistsError(key)
        const stored = codec.open(key, bytes, result.revision)
        step?.addEvent('decode succeeded', { len: bytes.length })
        return stored
      } finally {
        step?.end(slowStepMs)
      }
    },

    async get(rawKey, getOptions = {}) {
      const key = prepareKey(prefix, rawKey, false)
      const { entry, revision } = await access.read(key, getOptions)
      const required = requireResourceVersion(getOptions.resourceVersion)
      if (required > revision) throw newTooLargeError(key, required, revision)
      if (!entry) throw newKeyNotFoundError(key)
      return access.open(entry)
    },

    async list(rawKey, listOptions = {}) {
      const listed = prepareKey(prefix, rawKey, listOptions.recursive ?? true)
      const unreadable = options.collectUnreadable ? new UnreadableObjects(listed) : undefined
      const { span } = listOptions
      if (span === undefined) return listObjects({ access, prefix: listed, options: listOptions, unreadable })
      const step = startListStep(span, rawKey, listOptions)
      const list = listObjects({ access, prefix: listed, options: { ...listOptions, span: step }, unreadable })
      return list.finally(() => step.end(slowStepMs))
    },

    async watch(rawKey, watchOptions) {
      const recursive = watchOptions.recursive ?? true
      const key = prepareKey(prefix, rawKey, recursive)
      const revision = requireParsableResourceVersion(watchOptions.resourceVersion)
      const range = recursive ? createPrefixRange(key) : createKeyRange(key)
      return watchObjects({ access, range, revision, options: { ...watchOptions, signal: openWatches.untilClosed(watchOptions.signal) } })
    },

    guaranteedUpdate(key, tryUpdate, updateOptions = {}) {
      const update = { access, leases, prefix, key, tryUpdate, ignoreNotFound: updateOptions.ignoreNotFound ?? false }
      const { span } = updateOptions
      if (span === undefined) return runGuaranteedUpdate({ ...update, options: updateOptions })
      const step = startWriteStep(span, 'GuaranteedUpdate etcd3', { key, resource, type: options.typeName })
      return runGuaranteedUpdate({ ...update, step, options: { ...updateOptions, span: step } }).finally(() => step.end(slowStepMs))
    },

    delete: (key, deleteOptions = {}) => deleteObject({ access, prefix, key, options: deleteOptions }),

    deleteUnreadable: async (key, { signal } = {}) => deleteUnreadable(access, prepareKey(prefix, key, false), signal),

    count: async (key) => (await listCount(prepareKey(prefix, key, true))).count,

    measureStats: measureStats,

    async getCurrentRevision({ span } = {}) {
      const step = span && startListStep(span, prefix, { recursive: false, limit: 1 })
      try {
        return (await listCount(prefix, step)).revision
      } finally {
        step?.end(slowStepMs)
      }
    },

    async checkReady() {
      try {
        await backend.checkHealth()
      } catch (cause) {
        throw new StorageError({ code: 'Unreachable', key: prefix, message: cause instanceof Error ? cause.message : String(cause), cause })
      }
    },

    async close() {
      openWatches.endAll()
      metrics?.close()
    },

    ...createObjectSnapshots(access, prefix),
  }
}
