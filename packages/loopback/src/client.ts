import type { DeepReadonly, DeleteOptions, GroupResource, GroupVersionKind, GroupVersionResource, KubeObject } from '@keelson/apimachinery'
import type { QuotaRules } from '@keelson/registry'
import type { FirstObjectOptions, ObjectWatch, Predicate } from '@keelson/storagebackend'

export interface LoopbackListOptions {
  readonly namespace?: string
  readonly predicate?: Predicate
  readonly resourceVersion?: string
}

export interface LoopbackWatchOptions extends LoopbackListOptions {
  readonly signal: AbortSignal
  /**
   * Whether the watch starts with ADDED events for existing objects, followed by a bookmark. Default: false, which sends only changes after
   * `resourceVersion`.
   */
  readonly sendInitialEvents?: boolean
}

export interface LoopbackWriteOptions {
  /** The manager of the fields that the write sets. Default: the field manager of the client. */
  readonly fieldManager?: string
}

/** The object after a write. It is decoded on first use. */
export interface LoopbackWritten<T extends KubeObject = KubeObject> {
  getObject(): DeepReadonly<T>
}

/** The verbs of one resource, called in the same process. Requests are made as the user `system:apiserver`, and nothing is serialized. */
export interface LoopbackResource<T extends KubeObject = KubeObject> {
  /** The quota rules of the resource's objects. Undefined if quotas ignore them. */
  readonly quota: QuotaRules | undefined
  /** Returns an object, or undefined if it does not exist. Reads from the watch cache (`resourceVersion: "0"`) by default. */
  get(namespace: string, name: string, options?: { resourceVersion?: string }): Promise<DeepReadonly<T> | undefined>
  list(options?: LoopbackListOptions): Promise<{ items: readonly DeepReadonly<T>[]; resourceVersion: string }>
  /** Opens a watch, which always sends bookmarks. Unlike a watch over HTTP, it has no timeout and runs until the signal aborts. */
  watch(options: LoopbackWatchOptions): Promise<ObjectWatch<T>>
  /**
   * Waits until the resource has objects, if its storage is not in use yet (custom resources). A watch or any other request would create the
   * storage. Ends without error when the signal aborts.
   */
  waitForFirstObject(options: FirstObjectOptions): Promise<void>
  create(namespace: string, object: T, options?: LoopbackWriteOptions): Promise<LoopbackWritten<T>>
  /**
   * Reads an object, lets `change` change a copy, and writes the result. Retries on conflict. Throws NotFound if the object does not exist.
   * `subresource` is "status" or "finalize".
   */
  update(
    namespace: string,
    name: string,
    change: (object: T) => T,
    options?: LoopbackWriteOptions & { subresource?: string },
  ): Promise<LoopbackWritten<T>>
  /**
   * Applies a configuration with a server-side apply, and takes over fields of other managers (force). Creates a missing object, unless
   * `subresource` is set.
   */
  apply(namespace: string, config: T, options: { fieldManager: string; subresource?: string }): Promise<LoopbackWritten<T>>
  delete(namespace: string, name: string, options?: DeleteOptions): Promise<void>
  deleteCollection(namespace: string, options?: DeleteOptions): Promise<void>
}

/** A client of the server's own registry, in the same process. */
export interface LoopbackClient {
  /**
   * Returns the verbs of a resource. Returns undefined if the server does not serve the resource. `version` is one of its served versions.
   * Default: the version that was added first. All versions of a built-in resource have objects in the hub version.
   */
  resource<T extends KubeObject = KubeObject>(resource: GroupResource & { readonly version?: string }): LoopbackResource<T> | undefined
  /** Returns all resources that support list, watch and delete. A resource is the same value until it is removed. */
  listDeletableResources(): readonly DeletableResource[]
  /** Returns all resources in all their served versions. */
  listServedKinds(): readonly ServedKind[]
  /** Calls the handler after resources were added or removed. Returns a function that unsubscribes the handler. */
  subscribe(handler: () => void): () => void
}

/** A resource in one served version, and its kind. */
export interface ServedKind extends GroupVersionResource {
  readonly kind: string
  /** The kind in the version that objects from the client have. */
  readonly hub: GroupVersionKind
  readonly singularName: string
  readonly namespaced: boolean
  /** Whether this is a custom resource. */
  readonly isCustom: boolean
}

/** A resource that supports list, watch and delete. */
export interface DeletableResource extends GroupResource {
  readonly version: string
  readonly kind: string
  readonly namespaced: boolean
}

/** A change of an object in an informer. */
export type InformerEvent<T extends KubeObject> =
  | { readonly type: 'added' | 'deleted'; readonly object: DeepReadonly<T> }
  | { readonly type: 'updated'; readonly object: DeepReadonly<T>; readonly old: DeepReadonly<T> }

/** An indexed copy of all objects of a resource, which follows their changes. It reconnects after errors. */
export interface Informer<T extends KubeObject> extends AsyncDisposable {
  readonly synced: Promise<void>
  /** True after the informer has received all existing objects. */
  readonly hasSynced: boolean
  get(namespace: string, name: string): DeepReadonly<T> | undefined
  list(namespace?: string): readonly DeepReadonly<T>[]
  /**
   * Calls the handler for every change. First it calls the handler with `added` for every existing object. Returns a function that
   * unsubscribes the handler.
   */
  subscribe(handler: (event: InformerEvent<T>) => void): () => void
}
