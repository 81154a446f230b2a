import { groupResourceString } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { createObjectStore, hasCompaction } from '@keelson/storagebackend'
import type { Storage, StorageRequest } from '@keelson/storagebackend'
import { Cacher } from './cacher.ts'
import type { CacherOptions } from './cacher.ts'
import type { WatchCacheMetrics } from './watch-cache-metrics.ts'

type CacherSettings = Pick<
  CacherOptions,
  'clock' | 'ring' | 'freshnessTimeout' | 'digestPeriod' | 'onError' | 'watcherLimits' | 'stalledAfter' | 'bookmarkTimes'
>

export interface StorageWithCacherOptions extends CacherSettings {
  /** By resource ("pods", "deployments.apps"): a field that many watchers require one value of. Default: pods by their node. */
  readonly triggerFields?: Readonly<Record<string, string>>
  readonly metrics?: WatchCacheMetrics | undefined
}

const defaultTriggerFields: Readonly<Record<string, string>> = { pods: 'spec.nodeName' }

/** A decorator that puts a watch cache in front of each resource's store. */
export function storageWithCacher(
  options: StorageWithCacherOptions = {},
): <T extends KubeObject>(request: StorageRequest<T>) => Storage<T> {
  const { triggerFields = defaultTriggerFields, metrics, ...settings } = options
  return <T extends KubeObject>(request: StorageRequest<T>): Storage<T> => {
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
