import type { DeepReadonly, FieldSelector, KubeObject, LabelsSelector } from '@keelson/apimachinery'
import type { KeyRange, Revision } from './backend.ts'
import type { LabelSet } from './record-matcher.ts'

/**
 * One version of one object, as bytes. `body` is the object's JSON in its hub version, without `kind`, `apiVersion` and `metadata.resourceVersion`. A
 * response is `{` + kind and apiVersion + body[1..spliceAt] + `,"resourceVersion":"N"` + body[spliceAt..]. `spliceAt` is always after at least one
 * metadata member (the name), so the comma is always valid.
 */
export interface StoredObject<T extends KubeObject = KubeObject> {
  readonly isStoredObject: true
  readonly key: string
  /** The value of `metadata.resourceVersion`. In a DELETED event it is the revision of the deletion. */
  readonly revision: Revision
  readonly body: Uint8Array
  readonly spliceAt: number
  readonly labels: Readonly<Record<string, string>> | undefined
  /** Returns the value of a selectable field ("metadata.name", "spec.nodeName"), or "" if it is unset. */
  field(name: string): string
  /** Returns the decoded object with `metadata.resourceVersion`, without kind and apiVersion. All callers share it, so it must not be changed. */
  object(): DeepReadonly<T>
  /** Returns a decoded copy, which the caller may change. */
  copy(): T
}

/** The selectors of a list or watch. */
export interface Predicate {
  readonly labels: LabelsSelector
  readonly fields: FieldSelector
}

export interface GetOptions {
  /** "" reads the store, "0" accepts any state, a number accepts a state that is not older. */
  readonly resourceVersion?: string
  readonly signal?: AbortSignal
  /** See `ReadOptions`. */
  readonly aborted?: boolean
}

export interface ListObjectsOptions {
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined
  readonly predicate?: Predicate
  readonly limit?: number
  readonly continue?: string
  /** If false, `key` is the key of one object, and the list has at most that object. If true, `key` is a prefix that ends with "/". Default: true. */
  readonly recursive?: boolean
  readonly signal?: AbortSignal
}

export interface ObjectList<T extends KubeObject = KubeObject> {
  readonly revision: Revision
  /** The continue token, or "" on the last page. */
  readonly continue: string
  readonly remainingItemCount: number | undefined
  /** The objects in key order. They are computed lazily and may be iterated once. Iterating never waits. */
  readonly items: Iterable<StoredObject<T>>
}

export interface WatchObjectsOptions {
  /** "" or "0": the watch starts with ADDED events for a state. A number: it starts with the changes after this version. See `startsWithState`. */
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined
  readonly predicate?: Predicate
  readonly allowBookmarks?: boolean
  readonly sendInitialEvents?: boolean | undefined
  readonly recursive?: boolean
  /** The time when the server ends the watch, in milliseconds since the epoch. A bookmark can be sent before that. */
  readonly deadline?: number
  readonly signal: AbortSignal
}

/** An event of an object watch. */
export type ObjectEvent<T extends KubeObject = KubeObject> =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
      readonly object: StoredObject<T>
      /** The object before the change. Only in batches with a `state`. */
      readonly previous?: StoredObject<T> | undefined
    }
  /** `initialEventsEnd` is true for the bookmark that ends the initial events. */
  | { readonly type: 'BOOKMARK'; readonly revision: Revision; readonly initialEventsEnd: boolean }

/** A batch of events. */
export interface ObjectEvents<T extends KubeObject = KubeObject> extends ReadonlyArray<ObjectEvent<T>> {
  /** The state after these events. Only from storages with `ObjectSnapshots`, for watches of the whole resource without a predicate. */
  readonly state?: ObjectSnapshot<T> | undefined
}

/**
 * A watch. Batches come in revision order, and all events of one revision are in one batch. A watch has one reader, which reads the next batch after
 * it has processed the last. If the buffer is full, the watch ends with `ResourceVersionTooOld`. It ends without error when the signal aborts, and
 * otherwise throws a `StorageError`. Opening may throw `ResourceVersionTooOld` or `ResourceVersionTooLarge`.
 */
export interface ObjectWatch<T extends KubeObject = KubeObject> extends AsyncIterable<ObjectEvents<T>> {
  /**
   * Calls `read` for each batch. If `read` returns a promise, the next call waits for it. Resolves at the end of the watch. A waiting reader allocates
   * nothing for each event, so thousands of readers may wait. `read` may run in the turn of the event, before other readers, so it must be short. If it
   * throws, the watch ends and `forEach` rejects.
   *
   * @example
   * await watch.forEach((batch) => {
   *   for (const event of batch) if (event.type !== 'BOOKMARK') console.log(event.type, event.object.key)
   *   return undefined
   * })
   */
  forEach(read: (batch: ObjectEvents<T>) => Promise<void> | undefined): Promise<void>
}

/** Conditions of a write. An unset member is not checked. */
export interface ObjectPreconditions {
  readonly uid?: string
  readonly resourceVersion?: string
}

export interface CreateOptions {
  /** The time to live. 0 or absent: no expiry. */
  readonly ttlSeconds?: number
  readonly signal?: AbortSignal
}

/** The new object of an update. If it equals the stored object, nothing is written. */
export interface UpdateOutput<T extends KubeObject> {
  readonly object: T
  readonly ttlSeconds?: number
}

/**
 * Computes the new object from the current one. If it returns undefined, nothing is written: the update resolves to the stored object, or fails with
 * `KeyNotFound` if there is none. A result for a stale suggestion is discarded, and the function runs again with the stored object.
 */
export type TryUpdate<T extends KubeObject> = (
  current: T | undefined,
  stored: StoredObject<T> | undefined,
) => UpdateOutput<T> | undefined | Promise<UpdateOutput<T> | undefined>

export interface UpdateOptions<T extends KubeObject> {
  /**
   * Whether to call `tryUpdate` with undefined for an absent object, and to create its result. Default: an absent object is the error `KeyNotFound`.
   */
  readonly ignoreNotFound?: boolean
  readonly preconditions?: ObjectPreconditions
  /** A possibly stale object to start with, which saves a read. After an error on a stale suggestion the update runs again with the stored object. */
  readonly suggestion?: StoredObject<T>
  /** Promises that `tryUpdate` does not change its argument. It then gets the object that all readers share instead of a copy. */
  readonly sharesCurrent?: boolean
  readonly signal?: AbortSignal
}

export interface DeleteObjectOptions<T extends KubeObject> {
  readonly preconditions?: ObjectPreconditions
  /** Throws to refuse the deletion. Runs again on the newest object after a lost race. */
  readonly validate?: (object: DeepReadonly<T>) => void | Promise<void>
  readonly suggestion?: StoredObject<T>
  readonly signal?: AbortSignal
}

export interface StorageStats {
  readonly objectCount: number
  /** The average size of a stored value in bytes, or 0 without objects. */
  readonly estimatedAverageObjectSize: number
}

/**
 * Object storage for one resource, which the registry uses. The object store implements it on a driver, and the cacher on another `Storage`. All
 * failures are `StorageError`s, also those of open watches. The registry's `translate-error.ts` translates them to API errors. Errors of callbacks
 * (`tryUpdate`, `validate`), reasons of aborted signals, and bugs (`InvalidKeyError`, `TypeError`) pass through unchanged.
 */
export interface Storage<T extends KubeObject = KubeObject> {
  /** Creates an object, whose `metadata.resourceVersion` must be empty. Throws `KeyExists` if the key has an object. */
  create(key: string, object: T, options?: CreateOptions): Promise<StoredObject<T>>
  get(key: string, options?: GetOptions): Promise<StoredObject<T>>
  list(key: string, options?: ListObjectsOptions): Promise<ObjectList<T>>
  watch(key: string, options: WatchObjectsOptions): Promise<ObjectWatch<T>>
  /**
   * Calls `tryUpdate` with a copy of the current object (but see `sharesCurrent`), and writes the result. Calls it again after each lost race. If the
   * result equals the stored bytes, nothing is written.
   */
  guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options?: UpdateOptions<T>): Promise<StoredObject<T>>
  /** Deletes an object. Resolves to its last version with the revision of the deletion. */
  delete(key: string, options?: DeleteObjectOptions<T>): Promise<StoredObject<T>>
  /**
   * Deletes a value that cannot be decoded or decrypted, without checks. Throws `InvalidObject` if it can be read. Resolves to the revision of the
   * deletion. Watches that must send the last object end with `UnreadableDeletion`.
   */
  deleteUnreadable(key: string, options?: { readonly signal?: AbortSignal }): Promise<Revision>
  count(key: string): Promise<number>
  /** Returns statistics of all objects of the resource. */
  stats(): Promise<StorageStats>
  /** Returns the current revision of the store. */
  currentRevision(): Promise<Revision>
  /** Rejects with the reason while the storage cannot serve (`NotReady`, `Unreachable`). */
  checkReady(): Promise<void>
  /** Ends open watches. The driver stays open. */
  close(): Promise<void>
}

/**
 * An immutable view of a resource's objects at one revision. Ranges must be within the resource's prefix. Reads never wait, and throw a
 * `StorageError` for a value that cannot be opened.
 */
export interface ObjectSnapshot<T extends KubeObject = KubeObject> {
  get(key: string): StoredObject<T> | undefined
  /** Iterates over the objects in key order. Opened objects are kept for later readers, unless `keep` is false. */
  scan(range: KeyRange, options?: { readonly keep?: boolean }): IterableIterator<StoredObject<T>>
  /** Iterates over the objects that match the predicate. It also returns undefined regularly, so that the caller can pause. */
  select(range: KeyRange, predicate: Predicate): IterableIterator<StoredObject<T> | undefined>
  count(range: KeyRange): number
}

/** An optional interface of a storage that has past states in memory. `hasObjectSnapshots` tests for it. */
export interface ObjectSnapshots<T extends KubeObject = KubeObject> {
  /** Returns the state at `revision`, which keeps no other state in memory. Returns undefined if the state has been dropped or does not exist yet. */
  snapshotAt(revision: Revision): ObjectSnapshot<T> | undefined
}

/** Encodes objects of one resource as stored bytes, and opens stored bytes as objects. */
export interface ObjectCodec<T extends KubeObject = KubeObject> {
  /**
   * Encodes a hub object without its resourceVersion. Equal objects give equal bytes. `key` is the key of the value, for codecs that cache values.
   */
  encode(object: T, key?: string): Uint8Array
  /** Opens a stored value, without parsing JSON if the encoding allows that. Throws `CorruptObjectError`. */
  open(key: string, value: Uint8Array, revision: Revision): StoredObject<T>
  /** Matches values without opening them. Absent: the encoding does not allow that. */
  readonly headers?: ValueHeaders
}

/** Matches encoded values without opening them. */
export interface ValueHeaders {
  /** Returns the label set of a value, the same set for equal labels. Returns undefined for a value that must be opened. */
  labelSetOf(value: Uint8Array): LabelSet | undefined
  /** Returns a function that tests values with a label set. */
  matcher(predicate: Predicate): (value: Uint8Array, labels: LabelSet) => boolean
}

/** The codes of `StorageError`. */
export type StorageErrorCode =
  | 'KeyExists'
  | 'KeyNotFound'
  | 'ResourceVersionConflict'
  | 'InvalidObject'
  | 'ResourceVersionTooLarge'
  | 'ResourceVersionTooOld'
  | 'InvalidContinueToken'
  /** The list options contradict each other or cannot be parsed. */
  | 'BadRequest'
  /** The `resourceVersion` of a watch, or of a read from a cache, is not an unsigned integer. */
  | 'UnparsableResourceVersion'
  /** The object has too many labels, or too long labels or fields, for the stored encoding. */
  | 'ObjectTooLarge'
  | 'Corrupt'
  /** A list that collects unreadable objects found some. See `unreadable`. */
  | 'UnreadableObjects'
  /** A watch cannot send the last version of a deleted object, because it is unreadable. */
  | 'UnreadableDeletion'
  /** A value could not be decrypted or encrypted. The message is the reason. */
  | 'Internal'
  | 'Unreachable'
  /** A cache that is not filled yet cannot open watches. */
  | 'NotReady'

/** The properties of a `StorageError`. Use `isStorageError` instead of `instanceof` to recognize one. */
export interface StorageErrorDetails {
  readonly code: StorageErrorCode
  readonly key: string
  readonly revision?: Revision
  readonly currentRevision?: Revision
  /** A token that continues an expired list at the newest state, which is inconsistent. */
  readonly continue?: string
  readonly unreadable?: UnreadableDetails
}

/** A stored value that cannot be turned into an object. */
export interface UnreadableObject {
  readonly key: string
  /** The reason why the object cannot be read. */
  readonly message: string
}

/** The unreadable objects of one list. */
export interface UnreadableDetails {
  readonly objects: readonly UnreadableObject[]
  /** Whether there are more unreadable objects. */
  readonly isTruncated: boolean
}
