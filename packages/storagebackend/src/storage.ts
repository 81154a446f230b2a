import type { DeepReadonly, FieldSelector, KubeObject, LabelsSelector } from '@keelson/apimachinery'
import type { KeyRange, Revision } from './backend.ts'
import type { LabelSet } from './record-matcher.ts'

/**
 * One version of one object, as bytes. `body` is the object's JSON in its hub version, without `kind`, `apiVersion` and
 * `metadata.resourceVersion`. A response is `{` + kind and apiVersion + body[1..spliceAt] + `,"resourceVersion":"N"` + body[spliceAt..].
 * `spliceAt` is always after at least one metadata member (the name), so the comma is always right.
 */
export interface StoredObject<T extends KubeObject = KubeObject> {
  readonly isStoredObject: true
  readonly key: string
  /** The value of `metadata.resourceVersion`. For a DELETED event: the deletion's revision. */
  readonly revision: Revision
  readonly body: Uint8Array
  readonly spliceAt: number
  readonly labels: Readonly<Record<string, string>> | undefined
  /** The value of a selectable field ("metadata.name", "spec.nodeName"), "" when unset. */
  field(name: string): string
  /** The decoded object, with `metadata.resourceVersion`, without kind and apiVersion. Made on first use and shared: never write to it. */
  object(): DeepReadonly<T>
  /** A decoded copy that belongs to the caller. */
  copy(): T
}

/** The selectors of a list or watch. */
export interface Predicate {
  readonly labels: LabelsSelector
  readonly fields: FieldSelector
}

export interface GetOptions {
  /** "" reads the store, "0" accepts any age, a number accepts a state that is not older. */
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
  /** False: `key` is one object's key, and the list has at most that object. Default true: `key` is a prefix that ends in "/". */
  readonly recursive?: boolean
  readonly signal?: AbortSignal
}

export interface ObjectList<T extends KubeObject = KubeObject> {
  readonly revision: Revision
  /** "" on the last page. */
  readonly continue: string
  readonly remainingItemCount: number | undefined
  /** In key order. Lazy: may be walked once, and never waits. */
  readonly items: Iterable<StoredObject<T>>
}

export interface WatchObjectsOptions {
  /** "" or "0": ADDED events for a state, then changes. A number: changes after it. See `startsWithState`. */
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined
  readonly predicate?: Predicate
  readonly allowBookmarks?: boolean
  readonly sendInitialEvents?: boolean | undefined
  readonly recursive?: boolean
  /** When the owner will end the watch at the latest (ms since epoch), so that a bookmark can be sent before. */
  readonly deadline?: number
  readonly signal: AbortSignal
}

export type ObjectEvent<T extends KubeObject = KubeObject> =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
      readonly object: StoredObject<T>
      /** The object before the change. Only in batches with a `state`. */
      readonly previous?: StoredObject<T> | undefined
    }
  /** `initialEventsEnd` is true for the bookmark that ends `sendInitialEvents`. */
  | { readonly type: 'BOOKMARK'; readonly revision: Revision; readonly initialEventsEnd: boolean }

export interface ObjectEvents<T extends KubeObject = KubeObject> extends ReadonlyArray<ObjectEvent<T>> {
  /** The state after these events. From a storage with `ObjectSnapshots`, for watches of the whole resource without a predicate. */
  readonly state?: ObjectSnapshot<T> | undefined
}

/**
 * Batches in revision order; all events of one revision are in one batch. A watch has one reader, which takes the next batch when it is done with the
 * last. If the reader is too slow, the watch ends with `ResourceVersionTooOld` when its buffer is full. Ends without error when the signal aborts,
 * and otherwise throws a `StorageError`. Opening may throw `ResourceVersionTooOld` or `ResourceVersionTooLarge`.
 */
export interface ObjectWatch<T extends KubeObject = KubeObject> extends AsyncIterable<ObjectEvents<T>> {
  /**
   * Calls `read` for each batch, and again when its promise has settled. Resolves at the end of the watch. A waiting reader needs no new objects for
   * each event, so thousands may wait. `read` may run in the turn of the event, before other readers: it must be short. If it throws, the watch
   * ends and this rejects.
   *
   * @example
   * await watch.forEach((batch) => {
   *   for (const event of batch) if (event.type !== 'BOOKMARK') console.log(event.type, event.object.key)
   *   return undefined
   * })
   */
  forEach(read: (batch: ObjectEvents<T>) => Promise<void> | undefined): Promise<void>
}

export interface ObjectPreconditions {
  readonly uid?: string
  readonly resourceVersion?: string
}

export interface CreateOptions {
  /** 0 or absent: no expiry. */
  readonly ttlSeconds?: number
  readonly signal?: AbortSignal
}

/** The new object of an update. One that equals the stored one is not written. */
export interface UpdateOutput<T extends KubeObject> {
  readonly object: T
  readonly ttlSeconds?: number
}

/**
 * Computes the new object from the current one. Returning undefined ends the update without a write: it resolves to the stored object, or fails
 * with `KeyNotFound` if there is none. A decision made on a stale suggestion, undefined too, is made again on the stored object.
 */
export type TryUpdate<T extends KubeObject> = (
  current: T | undefined,
  stored: StoredObject<T> | undefined,
) => UpdateOutput<T> | undefined | Promise<UpdateOutput<T> | undefined>

export interface UpdateOptions<T extends KubeObject> {
  /** Passes undefined to `tryUpdate` for an absent object and creates its result. Default: `KeyNotFound`. */
  readonly ignoreNotFound?: boolean
  readonly preconditions?: ObjectPreconditions
  /** A possibly stale object to try first, which saves a read. An error on it is not final: the update tries again on the stored object. */
  readonly suggestion?: StoredObject<T>
  /** `tryUpdate` does not change its argument: it gets the object that all readers share, instead of a copy. */
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
  /** The average size of a stored value, in bytes; 0 without objects. */
  readonly estimatedAverageObjectSize: number
}

/**
 * Object storage for one resource, used by the registry. The object store over a driver is one; the cacher wraps one and is one.
 * All failures are `StorageError`s, also of open watches; the registry's `translate-error.ts` makes API errors of them. Errors of callbacks
 * (`tryUpdate`, `validate`) and reasons of aborted signals pass through unchanged, and so do bugs (`InvalidKeyError`, `TypeError`).
 */
export interface Storage<T extends KubeObject = KubeObject> {
  /** `object.metadata.resourceVersion` must be empty. Throws `KeyExists` if the key has an object. */
  create(key: string, object: T, options?: CreateOptions): Promise<StoredObject<T>>
  get(key: string, options?: GetOptions): Promise<StoredObject<T>>
  list(key: string, options?: ListObjectsOptions): Promise<ObjectList<T>>
  watch(key: string, options: WatchObjectsOptions): Promise<ObjectWatch<T>>
  /** Calls `tryUpdate` with a copy of its own (but see `sharesCurrent`), again after each lost race. A result that equals the stored bytes is not written. */
  guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options?: UpdateOptions<T>): Promise<StoredObject<T>>
  /** Resolves to the last object, under the deletion's revision. */
  delete(key: string, options?: DeleteObjectOptions<T>): Promise<StoredObject<T>>
  /**
   * Removes a value that cannot be decoded or decrypted, without checks. Throws `InvalidObject` if it can be read. Resolves to the deletion's revision.
   * Watches that must send the last object end with `UnreadableDeletion`.
   */
  deleteUnreadable(key: string, options?: { readonly signal?: AbortSignal }): Promise<Revision>
  count(key: string): Promise<number>
  /** Statistics of all objects of the resource. */
  stats(): Promise<StorageStats>
  /** The store's present revision. */
  currentRevision(): Promise<Revision>
  /** Rejects while it cannot serve (`NotReady`, `Unreachable`); the reason is in the message. */
  checkReady(): Promise<void>
  /** Ends open watches. The driver below stays open. */
  close(): Promise<void>
}

/**
 * An immutable view of a resource's objects at one revision. Ranges must be within the resource's prefix. Reads never wait, and throw a `StorageError`
 * for a value that cannot be opened.
 */
export interface ObjectSnapshot<T extends KubeObject = KubeObject> {
  get(key: string): StoredObject<T> | undefined
  /** In key order. Opened objects are kept for later readers, unless `keep` is false. */
  scan(range: KeyRange, options?: { readonly keep?: boolean }): IterableIterator<StoredObject<T>>
  /** The objects that the predicate matches, and undefined now and then in between, so that a walk can pause. */
  select(range: KeyRange, predicate: Predicate): IterableIterator<StoredObject<T> | undefined>
  count(range: KeyRange): number
}

/** Optional interface of a storage that has past states in memory. `hasObjectSnapshots` tests for it. */
export interface ObjectSnapshots<T extends KubeObject = KubeObject> {
  /** The state at `revision`, which keeps nothing else alive. Undefined if it is no longer known, or not yet. */
  snapshotAt(revision: Revision): ObjectSnapshot<T> | undefined
}

/** Encodes the objects of one resource as stored bytes, and opens them. */
export interface ObjectCodec<T extends KubeObject = KubeObject> {
  /**
   * Encodes a hub object, without its resourceVersion. Deterministic: equal objects give equal bytes. `key` is the key that the value will be written
   * to, for codecs that cache the values they will open.
   */
  encode(object: T, key?: string): Uint8Array
  /** Opens a stored value, without parsing JSON if its encoding allows that. Throws `CorruptObjectError`. */
  open(key: string, value: Uint8Array, revision: Revision): StoredObject<T>
  /** For values that can be matched without opening them. */
  readonly headers?: ValueHeaders
}

export interface ValueHeaders {
  /** Returns the same set for values with equal labels; undefined for a value that must be opened. */
  labelSetOf(value: Uint8Array): LabelSet | undefined
  /** A test for values with a label set. */
  matcher(predicate: Predicate): (value: Uint8Array, labels: LabelSet) => boolean
}

export type StorageErrorCode =
  | 'KeyExists'
  | 'KeyNotFound'
  | 'ResourceVersionConflict'
  | 'InvalidObject'
  | 'ResourceVersionTooLarge'
  | 'ResourceVersionTooOld'
  | 'InvalidContinueToken'
  /** List options that contradict each other or cannot be parsed. */
  | 'BadRequest'
  /** A watch or a read from a cache got a `resourceVersion` that is not an unsigned integer. */
  | 'UnparsableResourceVersion'
  /** The object has more labels, or longer labels or fields, than the stored encoding has room for. */
  | 'ObjectTooLarge'
  | 'Corrupt'
  /** A list that collects unreadable objects found some; see `unreadable`. */
  | 'UnreadableObjects'
  /** A watch cannot show a deleted object as it was last. */
  | 'UnreadableDeletion'
  /** A value could not be decrypted or encrypted; the message is the reason. */
  | 'Internal'
  | 'Unreachable'
  /** A cache that is being filled cannot open watches yet. */
  | 'NotReady'

/** Recognise a `StorageError` by `isStorageError`, not by `instanceof`. */
export interface StorageErrorDetails {
  readonly code: StorageErrorCode
  readonly key: string
  readonly revision?: Revision
  readonly currentRevision?: Revision
  /** For an expired continue token: one that continues at the newest state, inconsistently. */
  readonly continue?: string
  readonly unreadable?: UnreadableDetails
}

export interface UnreadableObject {
  readonly key: string
  /** Why it cannot be read. */
  readonly message: string
}

export interface UnreadableDetails {
  readonly objects: readonly UnreadableObject[]
  /** There are more. */
  readonly isTruncated: boolean
}
