import type { DeepReadonly, DeleteOptions, GroupResource, KubeObject } from '@keelson/apimachinery'
import type { ObjectWatch, Predicate } from '@keelson/storagebackend'

export interface LoopbackListOptions {
  readonly namespace?: string
  readonly predicate?: Predicate
  readonly resourceVersion?: string
}

export interface LoopbackWatchOptions extends LoopbackListOptions {
  readonly signal: AbortSignal
  /** ADDED for what is there, then a bookmark that ends the initial events. Default: changes after `resourceVersion`. */
  readonly sendInitialEvents?: boolean
}

/** What a write left, decoded when it is asked for: most who write do not look. */
export interface LoopbackWritten<T extends KubeObject = KubeObject> {
  object(): DeepReadonly<T>
}

/** One resource, in process: the registry's verbs, with the identity `system:apiserver`, without a socket and without serialization. */
export interface LoopbackResource<T extends KubeObject = KubeObject> {
  /** undefined when there is none. Reads the cache (`resourceVersion: "0"`) unless told otherwise. */
  get(namespace: string, name: string, options?: { resourceVersion?: string }): Promise<DeepReadonly<T> | undefined>
  list(options?: LoopbackListOptions): Promise<{ items: readonly DeepReadonly<T>[]; resourceVersion: string }>
  /** Bookmarks are always on. Runs until the signal aborts, unlike a client's watch. */
  watch(options: LoopbackWatchOptions): Promise<ObjectWatch<T>>
  create(namespace: string, object: T): Promise<LoopbackWritten<T>>
  /** Read, change, write; again after each lost race. Absent: ApiError NotFound. `subresource`: "status", "finalize". */
  update(namespace: string, name: string, change: (object: T) => T, options?: { subresource?: string }): Promise<LoopbackWritten<T>>
  /** Server-side apply of what the manager wants to be so; takes over what others manage. Creates what is absent, but not by a subresource. */
  apply(namespace: string, config: T, options: { fieldManager: string; subresource?: string }): Promise<LoopbackWritten<T>>
  delete(namespace: string, name: string, options?: DeleteOptions): Promise<void>
  deleteCollection(namespace: string, options?: DeleteOptions): Promise<void>
}

export interface LoopbackClient {
  /** undefined when the server does not serve it. */
  resource<T extends KubeObject = KubeObject>(resource: GroupResource): LoopbackResource<T> | undefined
  /** Every resource whose objects can be listed, watched and deleted, each once. */
  deletableResources(): readonly DeletableResource[]
}

export interface DeletableResource extends GroupResource {
  readonly version: string
  readonly kind: string
  readonly namespaced: boolean
}

export type InformerEvent<T extends KubeObject> =
  | { readonly type: 'added' | 'deleted'; readonly object: DeepReadonly<T> }
  | { readonly type: 'updated'; readonly object: DeepReadonly<T>; readonly old: DeepReadonly<T> }

/** A live, indexed copy of a resource that restarts itself after errors. */
export interface Informer<T extends KubeObject> extends AsyncDisposable {
  readonly synced: Promise<void>
  /** Everything that was there when it started has been read. */
  readonly hasSynced: boolean
  get(namespace: string, name: string): DeepReadonly<T> | undefined
  list(namespace?: string): readonly DeepReadonly<T>[]
  /** Tells the handler of every present object first, as `added`. Returns what ends the subscription. */
  subscribe(handler: (event: InformerEvent<T>) => void): () => void
}
