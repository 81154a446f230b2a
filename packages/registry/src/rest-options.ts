import type { KindType } from '@keelson/api'
import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
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

/** `storageWithCacher()` or `undecoratedStorage`. */
export type StorageDecorator = <T extends KubeObject>(request: StorageRequest<T>) => Storage<T>

export interface CodecRequest<T extends KubeObject = KubeObject> {
  readonly kind: KindType
  /** Default: the kind's. */
  readonly storedVersion?: string
  /** metadata.name, and metadata.namespace where there is one, are among them. */
  readonly selectableFields: Readonly<Record<string, (object: DeepReadonly<T>) => string>>
  /** The original stores these objects without a name: it is the last part of their key. */
  readonly namedByKey?: boolean
  /** As the kind's definition has it. Stores whose readers set all defaults ignore it. */
  readonly defaultOnRead?: DefaultOnRead<T> | undefined
}
/** How objects become stored bytes: records on the embedded store, kube-apiserver's form on etcd. */
export type CodecFactory = <T extends KubeObject>(request: CodecRequest<T>) => ObjectCodec<T>

export interface RESTOptions {
  readonly backend: Backend
  readonly createCodec: CodecFactory
  readonly decorator: StorageDecorator
  /** "/registry/" + the resource's own prefix, without a final slash: "/registry/services/specs". */
  readonly resourcePrefix: string
  /** Encryption at rest. Absent: none. */
  readonly transformer?: ValueTransformer
  /** Absent: nothing is measured. */
  readonly metrics?: StorageMetrics
  /** How long an object is kept after its last write. Absent: until it is deleted. */
  readonly ttlSeconds?: number
  /** Milliseconds since the epoch: what objects are stamped with, and leases end by. Absent: the system's clock. */
  readonly now?: () => number
  readonly deleteCollectionWorkers: number
  /** False: a delete's propagation policy sets no finalizers, since nobody would remove them. Default true. */
  readonly enableGarbageCollection?: boolean
}
export interface RESTOptionsGetter {
  /** `facts`: what the resource's definition says of its storage. */
  getRESTOptions(resource: GroupResource, facts?: StorageFacts): RESTOptions
}
