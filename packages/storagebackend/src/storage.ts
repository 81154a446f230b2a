import type { DeepReadonly, FieldSelector, KubeObject, LabelsSelector, Span } from '@keelson/apimachinery'
import type { KeyRange, Revision } from './backend.ts'
import type { LabelSet } from './record-matcher.ts'

/**
 * One version of an object, as bytes. `body` is the object's JSON in its hub version, without `kind`, `apiVersion` and
 * `metadata.resourceVersion`. A response is `{` + kind and apiVersion + body[1..spliceAt] + `,"resourceVersion":"N"` + body[spliceAt..].
 * `spliceAt` follows at least one metadata member (the name), so the inserted comma is valid.
 */
export interface StoredObject<T extends KubeObject = KubeObject> {
  readonly isStoredObject: true
  readonly key: string
  /** The value of `metadata.resourceVersion`. In a DELETED event it is the revision of the deletion. */
  readonly revision: Revision
  readonly body: Uint8Array
  readonly spliceAt: number
  readonly labels: Readonly<Record<string, string>> | undefined
  /**
   * The API version in which the store holds the object ("v1beta1"). Set only for custom resources, whose store can hold objects of several
   * versions.
   */
  readonly storedVersion?: string | undefined
  /** Returns the value of a selectable field ("metadata.name", "spec.nodeName"), or "" if it is unset. */
  field(name: string): string
  /** Returns the decoded object with `metadata.resourceVersion`, without kind and apiVersion. All callers share it, so it must not be changed. */
  object(): DeepReadonly<T>
  /** Returns a decoded copy, which the caller may change. */
  copy(): T
}

/** The label and field selectors of a list or watch. */
export interface Predicate {
  readonly labels: LabelsSelector
  readonly fields: FieldSelector
}

/** Options that all requests to a storage have. */
export interface TracedOptions {
  /** Step of a recorded request that this one belongs to. */
  readonly span?: Span | undefined
}

export interface GetOptions extends TracedOptions {
  /** "" reads the current state of the store. "0" accepts any state. A number accepts a state that is not older than this revision. */
  readonly resourceVersion?: string
  readonly signal?: AbortSignal
  /** See `ReadOptions`. */
  readonly aborted?: boolean
}

export interface ListObjectsOptions extends TracedOptions {
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined
  readonly predicate?: Predicate
  readonly limit?: number
  readonly continue?: string
  /**
   * If true, `key` is a prefix that ends with "/". If false, `key` is the key of one object, and the list has at most that object. Default:
   * true.
   */
  readonly recursive?: boolean
  readonly signal?: AbortSignal
}

export interface ObjectList<T extends KubeObject = KubeObject> {
  readonly revision: Revision
  /** The continue token for the next page, or "" on the last page. */
  readonly continue: string
  readonly remainingItemCount: number | undefined
  /** The objects in key order. They are decoded lazily and can be iterated only once. Iterating never waits. */
  readonly items: Iterable<StoredObject<T>>
}

export interface WatchObjectsOptions extends TracedOptions {
  /**
   * With "" or "0" the watch starts with ADDED events for existing objects. With a number it starts with the changes after this revision.
   * `startsWithState` has the exact rules.
   */
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined
  readonly predicate?: Predicate
  readonly allowBookmarks?: boolean
  readonly sendInitialEvents?: boolean | undefined
  readonly recursive?: boolean
  /** The time when the server ends the watch, in milliseconds since the epoch. The storage can send a bookmark shortly before. */
  readonly deadline?: number
  /**
   * Whether all events of a watch without a predicate have the object before the change, if the driver knows it. Default: only events in
   * batches with a `state`.
   */
  readonly withPrevious?: boolean
  /**
   * Called once when the reader has got the existing objects or past changes with which the watch starts. From then on, the watch waits for
   * changes.
   */
  readonly onInitialized?: (() => void) | undefined
  readonly signal: AbortSignal
}

/** An event of a watch on objects. */
export type ObjectEvent<T extends KubeObject = KubeObject> =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
      readonly object: StoredObject<T>
      /** The object before the change. Present only in batches with a `state`, and in watches with `withPrevious`. */
      readonly previous?: StoredObject<T> | undefined
    }
  /**
   * A bookmark: the watch has sent all changes up to `revision`. `initialEventsEnd` is true for the bookmark that ends the initial events.
   */
  | { readonly type: 'BOOKMARK'; readonly revision: Revision; readonly initialEventsEnd: boolean }

/** A batch of events of a watch. All events of one revision are in the same batch. */
export interface ObjectEvents<T extends KubeObject = KubeObject> extends ReadonlyArray<ObjectEvent<T>> {
  /**
   * The state after the events of this batch. Only storages with `ObjectSnapshots` provide it, and only for watches on the whole resource
   * without a predicate.
   */
  readonly state?: ObjectSnapshot<T> | undefined
}

/**
 * A watch on objects. Batches are sent in revision order, and all events of one revision are in one batch. A watch has one reader, which
 * requests the next batch after it has processed the last one. If the buffer is full because the reader is slow, the watch ends with
 * `ResourceVersionTooOld`. When the signal aborts, the watch ends without error. Every other error is a `StorageError`. Opening a watch may
 * throw `ResourceVersionTooOld` or `ResourceVersionTooLarge`.
 */
export interface ObjectWatch<T extends KubeObject = KubeObject> extends AsyncIterable<ObjectEvents<T>> {
  /**
   * Calls `read` for each batch. If `read` returns a promise, the next call waits for that promise. Resolves when the watch ends. A waiting
   * reader allocates nothing for each event, so thousands of readers may wait. `read` may run in the turn of the event loop in which the
   * event occurs, before other readers, so it must be short. If `read` throws, the watch ends and `forEach` rejects.
   *
   * @example
   * await watch.forEach((batch) => {
   *   for (const event of batch) if (event.type !== 'BOOKMARK') console.log(event.type, event.object.key)
   *   return undefined
   * })
   */
  forEach(read: (batch: ObjectEvents<T>) => Promise<void> | undefined): Promise<void>
}

/** Preconditions of a write. An unset member is not checked. */
export interface ObjectPreconditions {
  readonly uid?: string
  readonly resourceVersion?: string
}

export interface CreateOptions extends TracedOptions {
  /** The time to live in seconds. 0 or absent: the object does not expire. */
  readonly ttlSeconds?: number
  readonly signal?: AbortSignal
}

/** The result of computing an update: the new object. If it equals the stored object, nothing is written. */
export interface UpdateOutput<T extends KubeObject> {
  readonly object: T
  readonly ttlSeconds?: number
}

/**
 * Computes the new object from the current one. If it returns undefined, nothing is written, and the update resolves to the stored object.
 * The update then fails with `KeyNotFound` if there is no stored object. A result that was computed from a stale suggestion is discarded,
 * and the function is called again with the stored object.
 */
export type TryUpdate<T extends KubeObject> = (
  current: T | undefined,
  stored: StoredObject<T> | undefined,
) => UpdateOutput<T> | undefined | Promise<UpdateOutput<T> | undefined>

export interface UpdateOptions<T extends KubeObject> extends TracedOptions {
  /**
   * Whether an absent object may be created. If true, `tryUpdate` is called with undefined, and its result is created. If false, an absent
   * object is the error `KeyNotFound`. Default: false.
   */
  readonly ignoreNotFound?: boolean
  readonly preconditions?: ObjectPreconditions
  /**
   * An object to start with, which saves a read. It may be stale. If a stale suggestion causes an error, the update starts again with the
   * stored object.
   */
  readonly suggestion?: StoredObject<T>
  /** Whether `tryUpdate` leaves its argument unchanged. If true, it gets the object that all readers share, which saves a copy. */
  readonly sharesCurrent?: boolean
  readonly signal?: AbortSignal
}

export interface DeleteObjectOptions<T extends KubeObject> extends TracedOptions {
  readonly preconditions?: ObjectPreconditions
  /** Throws to refuse the deletion. If a concurrent write comes first, it is called again with the newer object. */
  readonly validate?: (object: DeepReadonly<T>, stored: StoredObject<T>) => void | Promise<void>
  readonly suggestion?: StoredObject<T>
  readonly signal?: AbortSignal
}

export interface StorageStats {
  readonly objectCount: number
  /** The average size of a stored value in bytes. 0 if there are no objects. */
  readonly estimatedAverageObjectSize: number
}

/**
 * The storage of one resource's objects. The registry uses this interface. The object store implements it on a driver, and the cacher on
 * another `Storage`. All failures are `StorageError`s, including those of open watches. The registry's `translate-error.ts` translates them
 * to API errors. Errors of callbacks (`tryUpdate`, `validate`), reasons of aborted signals, and errors that mean bugs (`InvalidKeyError`,
 * `TypeError`) are passed on unchanged.
 */
export interface Storage<T extends KubeObject = KubeObject> {
  /** Creates an object. Its `metadata.resourceVersion` must be empty. Throws `KeyExists` if the key has an object already. */
  create(key: string, object: T, options?: CreateOptions): Promise<StoredObject<T>>
  get(key: string, options?: GetOptions): Promise<StoredObject<T>>
  list(key: string, options?: ListObjectsOptions): Promise<ObjectList<T>>
  watch(key: string, options: WatchObjectsOptions): Promise<ObjectWatch<T>>
  /**
   * Calls `tryUpdate` with a copy of the current object and writes the result. With `sharesCurrent` the object is not copied. If a
   * concurrent write comes first, it calls `tryUpdate` again with the newer object. If the result equals the stored bytes, nothing is
   * written.
   */
  guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options?: UpdateOptions<T>): Promise<StoredObject<T>>
  /** Deletes an object. Resolves to its last version, with the revision of the deletion. */
  delete(key: string, options?: DeleteObjectOptions<T>): Promise<StoredObject<T>>
  /**
   * Deletes a value that cannot be decoded or decrypted, without checking preconditions. Throws `InvalidObject` if the value can be read.
   * Resolves to the revision of the deletion. Watches that must send the deleted object end with `UnreadableDeletion`.
   */
  deleteUnreadable(key: string, options?: { readonly signal?: AbortSignal }): Promise<Revision>
  count(key: string): Promise<number>
  /** Returns statistics about the objects of the resource. */
  measureStats(): Promise<StorageStats>
  /** Returns the current revision of the store. */
  getCurrentRevision(options?: TracedOptions): Promise<Revision>
  /** Throws the reason if the storage cannot serve requests (`NotReady`, `Unreachable`). */
  checkReady(): Promise<void>
  /** Closes the storage and ends open watches. The driver stays open, because other storages may use it. */
  close(): Promise<void>
}

/**
 * An immutable view of a resource's objects at one revision. Key ranges must be within the resource's prefix. Reads return at once. They
 * throw a `StorageError` for a value that cannot be decoded.
 */
export interface ObjectSnapshot<T extends KubeObject = KubeObject> {
  get(key: string): StoredObject<T> | undefined
  /** Iterates over the objects in key order. Decoded objects are cached for later readers, unless `keep` is false. */
  scan(range: KeyRange, options?: { readonly keep?: boolean }): IterableIterator<StoredObject<T>>
  /**
   * Iterates over the objects that match the predicate. It sometimes returns undefined between two objects, so that the caller can pause.
   */
  select(range: KeyRange, predicate: Predicate): IterableIterator<StoredObject<T> | undefined>
  count(range: KeyRange): number
}

/** An optional interface of a storage that keeps past states in memory. `hasObjectSnapshots` tests for it. */
export interface ObjectSnapshots<T extends KubeObject = KubeObject> {
  /**
   * Returns the state at `revision`, without references to other states. Returns undefined if the state has been dropped or does not exist
   * yet.
   */
  findSnapshot(revision: Revision): ObjectSnapshot<T> | undefined
}

export interface FirstObjectOptions {
  readonly signal: AbortSignal
  /** Called once it is known that the resource has no objects. */
  readonly onEmpty: () => void
}

/** An optional interface of a storage that is created on first use. `hasFirstObject` tests for it. */
export interface FirstObject {
  /**
   * Resolves when the resource has objects, without creating the storage. Resolves at once if the storage is in use. Ends without error when
   * the signal aborts.
   */
  waitForFirstObject(options: FirstObjectOptions): Promise<void>
}

/** Encodes objects of one resource to the bytes that are stored, and decodes these bytes. */
export interface ObjectCodec<T extends KubeObject = KubeObject> {
  /**
   * Encodes an object in the hub version, without its resourceVersion. Equal objects are encoded as equal bytes. `key` is the storage key
   * of the object. Codecs that cache values need it.
   */
  encode(object: T, key?: string): Uint8Array
  /** Encodes like `encode`, but lets other work run between the steps for a large object. Default: encodes in one step. */
  encodeInSteps?(object: T, key?: string): Uint8Array | Promise<Uint8Array>
  /**
   * Creates a stored object from stored bytes. It does not parse JSON if the encoding makes that unnecessary. Throws `CorruptObjectError`
   * if the bytes are invalid.
   */
  open(key: string, value: Uint8Array, revision: Revision): StoredObject<T>
  /**
   * Returns true if writing `encoded` over `value` would not change the object. Default: the values are compared byte by byte. Both values
   * are results of `encode`, possibly of a codec with another schema.
   */
  isSame?(value: Uint8Array, encoded: Uint8Array): boolean
  /**
   * Returns true if `view` is an object or label set that this codec created. Entries of a driver keep them for the next read, and another
   * codec can have created them: the storage of a custom resource gets a new codec when its definition changes. Default: all codecs of an
   * entry are the same.
   */
  owns?(view: object): boolean
  /** Matches selectors against stored values without decoding them. Absent if the encoding does not support that. */
  readonly headers?: ValueHeaders
}

/** Matches selectors against encoded values without decoding them. */
export interface ValueHeaders {
  /**
   * Returns the label set of a value. Values with equal labels have the same label set. Returns undefined for a value that must be decoded.
   */
  readLabelSet(value: Uint8Array): LabelSet | undefined
  /** Returns a function that tests a value and its label set against the predicate. */
  createMatcher(predicate: Predicate): (value: Uint8Array, labels: LabelSet) => boolean
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
  /** The list options are invalid or contradict each other. */
  | 'BadRequest'
  /** The `resourceVersion` of a watch, or of a read from a cache, is not an unsigned integer. */
  | 'UnparsableResourceVersion'
  /** The object has too many labels for the stored encoding, or a label or field is too long. */
  | 'ObjectTooLarge'
  | 'Corrupt'
  /** A list that collects unreadable objects found some. `unreadable` names them. */
  | 'UnreadableObjects'
  /** A watch cannot send a deleted object, because the object is unreadable. */
  | 'UnreadableDeletion'
  /** A value could not be decrypted or encrypted. The error message is the reason. */
  | 'Internal'
  /** An object could not be converted to or from the version in which it is stored. The message is the error text for the client. */
  | 'ConversionFailed'
  | 'Unreachable'
  /** The cache is not filled yet, so it cannot open watches. */
  | 'NotReady'

/** The properties of a `StorageError`. Use `isStorageError` instead of `instanceof` to recognize one. */
export interface StorageErrorDetails {
  readonly code: StorageErrorCode
  readonly key: string
  readonly revision?: Revision
  readonly currentRevision?: Revision
  /** A continue token for an expired list. The list continues at the newest state, so it is inconsistent. */
  readonly continue?: string
  readonly unreadable?: UnreadableDetails
}

/** A stored value that cannot be decoded or decrypted. */
export interface UnreadableObject {
  readonly key: string
  /** The reason why the object cannot be read. */
  readonly message: string
}

/** The unreadable objects of one list. */
export interface UnreadableDetails {
  readonly objects: readonly UnreadableObject[]
  /** Whether the list may have more unreadable objects than `objects` names. */
  readonly isTruncated: boolean
}
