import type { GroupResource, KubeObject } from '@keelson/apimachinery'
import { createObjectStore, hasCompaction } from '@keelson/storagebackend'
import type { Backend, ObjectCodec, Storage } from '@keelson/storagebackend'
import { Cacher } from './cacher.ts'
import type { CacherOptions } from './cacher.ts'

/** What is needed to make one resource's storage. */
export interface CachedStorageRequest<T extends KubeObject = KubeObject> {
  readonly backend: Backend
  readonly codec: ObjectCodec<T>
  readonly resource: GroupResource
  /** Every key of the resource starts with it: "/registry/pods/". */
  readonly prefix: string
  /** A field that many watchers select one value of: "spec.nodeName" for pods. */
  readonly triggerField?: string
}

export type StorageWithCacherOptions = Pick<
  CacherOptions,
  'clock' | 'ring' | 'freshnessTimeout' | 'digestPeriod' | 'onError' | 'watcherLimits' | 'patience' | 'bookmarkTimes'
>

/** Makes storages that have a watch cache before them. The other decorator makes the same without one. */
export function storageWithCacher(
  options: StorageWithCacherOptions = {},
): <T extends KubeObject>(request: CachedStorageRequest<T>) => Storage<T> {
  return <T extends KubeObject>(request: CachedStorageRequest<T>): Storage<T> => {
    const { backend, codec, resource, prefix, triggerField } = request
    return new Cacher<T>({
      ...options,
      storage: createObjectStore<T>({ backend, codec, resource, prefix }),
      prefix,
      triggerField,
      requestProgress: () => backend.requestProgress(),
      compactedRevision: hasCompaction(backend) ? () => backend.compactedRevision() : undefined,
    })
  }
}
