import { groupResourceString } from '@keelson/apimachinery'
import type { GroupResource, KubeObject } from '@keelson/apimachinery'
import { createObjectStore, hasCompaction } from '@keelson/storagebackend'
import type { Backend, ObjectCodec, Storage, StorageMetrics, ValueTransformer } from '@keelson/storagebackend'
import { Cacher } from './cacher.ts'
import type { CacherOptions } from './cacher.ts'
import type { WatchCacheMetrics } from './watch-cache-metrics.ts'

/** What is needed to make one resource's storage. */
export interface CachedStorageRequest<T extends KubeObject = KubeObject> {
  readonly backend: Backend
  readonly codec: ObjectCodec<T>
  readonly resource: GroupResource
  /** Every key of the resource starts with it: "/registry/pods/". */
  readonly prefix: string
  /** Encryption at rest. The cache holds what was decrypted. */
  readonly transformer?: ValueTransformer
  /** Of the store below the cache. */
  readonly metrics?: StorageMetrics
  /** Milliseconds since the epoch, of the store below the cache. Absent: the system's clock. */
  readonly now?: () => number
  /** A field that many watchers select one value of. Default: what the options say for the resource. */
  readonly triggerField?: string
}

type CacherSettings = Pick<
  CacherOptions,
  'clock' | 'ring' | 'freshnessTimeout' | 'digestPeriod' | 'onError' | 'watcherLimits' | 'patience' | 'bookmarkTimes'
>

export interface StorageWithCacherOptions extends CacherSettings {
  /** By resource ("pods", "deployments.apps"): the field that many watchers select one value of. Default: pods by their node. */
  readonly triggerFields?: Readonly<Record<string, string>>
  readonly metrics?: WatchCacheMetrics | undefined
}

const defaultTriggerFields: Readonly<Record<string, string>> = { pods: 'spec.nodeName' }

/** Makes storages that have a watch cache before them. The other decorator makes the same without one. */
export function storageWithCacher(
  options: StorageWithCacherOptions = {},
): <T extends KubeObject>(request: CachedStorageRequest<T>) => Storage<T> {
  const { triggerFields = defaultTriggerFields, metrics, ...settings } = options
  return <T extends KubeObject>(request: CachedStorageRequest<T>): Storage<T> => {
    const { backend, resource, prefix } = request
    const triggerField = request.triggerField ?? triggerFields[groupResourceString(resource)]
    return new Cacher<T>({
      ...settings,
      storage: createObjectStore<T>(request),
      prefix,
      triggerField,
      metrics: metrics?.forResource(resource),
      requestProgress: () => backend.requestProgress(),
      compactedRevision: hasCompaction(backend) ? () => backend.compactedRevision() : undefined,
    })
  }
}
