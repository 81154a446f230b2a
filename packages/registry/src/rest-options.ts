import type { GroupResource, KubeObject } from '@keelson/apimachinery'
import type { Backend, ObjectCodec, Storage } from '@keelson/storagebackend'

/** What a decorator needs to make a resource's storage. */
export interface StorageRequest<T extends KubeObject = KubeObject> {
  readonly backend: Backend
  readonly codec: ObjectCodec<T>
  readonly resource: GroupResource
  /** Every key of the resource starts with it: "/registry/pods/". */
  readonly prefix: string
}
/** `storageWithCacher()` or `undecoratedStorage`. */
export type StorageDecorator = <T extends KubeObject>(request: StorageRequest<T>) => Storage<T>

export interface RESTOptions {
  readonly backend: Backend
  readonly decorator: StorageDecorator
  /** "/registry/" + the resource's own prefix. */
  readonly resourcePrefix: string
  readonly deleteCollectionWorkers: number
}
export interface RESTOptionsGetter {
  getRESTOptions(resource: GroupResource): RESTOptions
}
