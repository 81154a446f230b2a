import type { DeepReadonly, DeleteOptions, GroupResource, KubeObject } from '@keelson/apimachinery'
import type { QuotaRules } from '@keelson/registry'
import type { ObjectWatch, Predicate } from '@keelson/storagebackend'

export interface LoopbackListOptions {
  readonly namespace?: string
  readonly predicate?: Predicate
  readonly resourceVersion?: string
}

export interface LoopbackWatchOptions extends LoopbackListOptions {
  readonly signal: AbortSignal
  /** Starts with ADDED events for existing objects and a bookmark. Default: only changes after `resourceVersion`. */
  readonly sendInitialEvents?: boolean
}

/** The object after a write, which is decoded on demand. */
export interface LoopbackWritten<T extends KubeObject = KubeObject> {
  object(): DeepReadonly<T>
}

/** The verbs of one resource, called in process. The user is `system:apiserver`, and nothing is serialized. */
export interface LoopbackResource<T extends KubeObject = KubeObject> {
  /** Quota rules of the objects; undefined if no quota applies. */
  readonly quota: QuotaRules | undefined
  /** Returns undefined if the object does not exist. Reads the watch cache (`resourceVersion: "0"`) by default. */
  get(namespace: string, name: string, options?: { resourceVersion?: string }): Promise<DeepReadonly<T> | undefined>
  list(options?: LoopbackListOptions): Promise<{ items: readonly DeepReadonly<T>[]; resourceVersion: string }>
  /** Always sends bookmarks. Unlike a remote watch, it has no timeout and runs until the signal aborts. */
  watch(options: LoopbackWatchOptions): Promise<ObjectWatch<T>>
  create(namespace: string, object: T): Promise<LoopbackWritten<T>>
  /**
   * Reads, changes and writes the object, and retries on conflict. Throws NotFound if it does not exist. `subresource`: "status" or
   * "finalize".
   */
  update(namespace: string, name: string, change: (object: T) => T, options?: { subresource?: string }): Promise<LoopbackWritten<T>>
  /** Server-side apply with force. Creates a missing object, unless applying to a subresource. */
  apply(namespace: string, config: T, options: { fieldManager: string; subresource?: string }): Promise<LoopbackWritten<T>>
  delete(namespace: string, name: string, options?: DeleteOptions): Promise<void>
  deleteCollection(namespace: string, options?: DeleteOptions): Promise<void>
}

/** A client of the server's registry, in the same process. */
export interface LoopbackClient {
  /** Returns undefined if the server does not serve the resource. */
  resource<T extends KubeObject = KubeObject>(resource: GroupResource): LoopbackResource<T> | undefined
  /** Returns every resource that supports list, watch and delete. */
  deletableResources(): readonly DeletableResource[]
}

/** A resource whose objects a controller can list, watch and delete. */
export interface DeletableResource extends GroupResource {
  readonly version: string
  readonly kind: string
  readonly namespaced: boolean
}

/** A change of an informer's copy. */
export type InformerEvent<T extends KubeObject> =
  | { readonly type: 'added' | 'deleted'; readonly object: DeepReadonly<T> }
  | { readonly type: 'updated'; readonly object: DeepReadonly<T>; readonly old: DeepReadonly<T> }

/** A live, indexed copy of a resource. It restarts after errors. */
export interface Informer<T extends KubeObject> extends AsyncDisposable {
  readonly synced: Promise<void>
  /** True after the initial list. */
  readonly hasSynced: boolean
  get(namespace: string, name: string): DeepReadonly<T> | undefined
  list(namespace?: string): readonly DeepReadonly<T>[]
  /** Calls the handler for every existing object first, as `added`. Returns the unsubscribe function. */
  subscribe(handler: (event: InformerEvent<T>) => void): () => void
}
