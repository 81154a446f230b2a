import type { DeepReadonly, FieldSelector, KubeObject, LabelsSelector } from '@keelson/apimachinery'
import type { KeyRange, Revision } from './backend.ts'
import type { LabelSet } from './label-sets.ts'

/**
 * One version of one object, as bytes first. `body` is the object's JSON in its hub version, without `kind`, `apiVersion` and
 * `metadata.resourceVersion`; an answer is `{` + type head + body[1..spliceAt] + `,"resourceVersion":"N"` + body[spliceAt..].
 * `spliceAt` always stands behind at least one metadata member (the name), so the comma is always right.
 */
export interface StoredObject<T extends KubeObject = KubeObject> {
  readonly isStoredObject: true
  readonly key: string
  /** What `metadata.resourceVersion` says. For a DELETED event: the deletion's revision. */
  readonly revision: Revision
  readonly body: Uint8Array
  readonly spliceAt: number
  readonly labels: Readonly<Record<string, string>> | undefined
  /** The value of a selectable field ("metadata.name", "spec.nodeName"), "" when unset. */
  field(name: string): string
  /** Decoded, with `metadata.resourceVersion`, without kind and apiVersion. Made when it is needed and shared: never write to it. */
  object(): DeepReadonly<T>
  /** A decoded copy of the caller's own. */
  copy(): T
}

export function isStoredObject(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && (value as { isStoredObject?: unknown }).isStoredObject === true
}

/** What a list or watch lets through. */
export interface Predicate {
  readonly labels: LabelsSelector
  readonly fields: FieldSelector
}

export interface GetOptions {
  /** "" reads the store; "0" any age; a number: not older than it. */
  readonly resourceVersion?: string
  readonly signal?: AbortSignal
  /** As in `ReadOptions`. */
  readonly aborted?: boolean
}

export interface ListObjectsOptions {
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined
  readonly predicate?: Predicate
  readonly limit?: number
  readonly continue?: string
  /** False: `key` is one object's key, and the list has at most that one. Default true: `key` is a prefix ending in "/". */
  readonly recursive?: boolean
  readonly signal?: AbortSignal
}

export interface ObjectList<T extends KubeObject = KubeObject> {
  readonly revision: Revision
  /** "" when this is the last page. */
  readonly continue: string
  readonly remainingItemCount: number | undefined
  /** In key order. May be walked lazily and once; never waits. */
  readonly items: Iterable<StoredObject<T>>
}

export interface WatchObjectsOptions {
  /** "" or "0": synthetic ADDED events for what is there, then changes. A number: changes after it. */
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined
  readonly predicate?: Predicate
  readonly allowBookmarks?: boolean
  readonly sendInitialEvents?: boolean | undefined
  readonly recursive?: boolean
  /** The latest moment the watch will be ended by its owner (ms since epoch), so that a bookmark can be sent before. */
  readonly deadline?: number
  readonly signal: AbortSignal
}

export type ObjectEvent<T extends KubeObject = KubeObject> =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
      readonly object: StoredObject<T>
      /** What the object was before. Only in batches with a `state`. */
      readonly previous?: StoredObject<T> | undefined
    }
  /** Only the revision means anything. `initialEventsEnd` marks the one that ends `sendInitialEvents`. */
  | { readonly type: 'BOOKMARK'; readonly revision: Revision; readonly initialEventsEnd: boolean }

export interface ObjectEvents<T extends KubeObject = KubeObject> extends ReadonlyArray<ObjectEvent<T>> {
  /** What is there after these events: of a storage with `ObjectSnapshots`, to who watches all that it holds, without a predicate. */
  readonly state?: ObjectSnapshot<T> | undefined
}

/**
 * Batches, in revision order; all events of one revision are in one batch. It has one reader, which takes the next batch when it is done
 * with the last; a reader that does not is ended by the producer with `ResourceVersionTooOld` once its buffer's budget is spent. Ends without
 * error when the signal aborts, throws `StorageError` otherwise. Opening may throw `ResourceVersionTooOld` or `ResourceVersionTooLarge`.
 */
export interface ObjectWatch<T extends KubeObject = KubeObject> extends AsyncIterable<ObjectEvents<T>> {
  /**
   * Hands each batch to `read`, the next one when what it returned has settled; resolves at the end. A reader that waits for events this
   * way holds nothing that is made anew for each, so that thousands may wait. `read` may run within the turn in which an event happened,
   * with other readers behind it: it does what is short, ends the watch if it likes, and when it throws, the watch ends and this rejects.
   */
  forEach(read: (batch: ObjectEvents<T>) => Promise<void> | undefined): Promise<void>
}

export interface ObjectPreconditions {
  readonly uid?: string
  readonly resourceVersion?: string
}

export interface CreateOptions {
  /** 0 or absent: lives until deleted. */
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
  /** An absent object is passed to `tryUpdate` as undefined, and then created, instead of NotFound. */
  readonly ignoreNotFound?: boolean
  readonly preconditions?: ObjectPreconditions
  /** A possibly stale object to try first, to save a read. Never trusted for an error: it is retried on the live one. */
  readonly suggestion?: StoredObject<T>
  /** `tryUpdate` changes nothing of what it is given: it gets the object that all readers share, and none is copied. */
  readonly sharesCurrent?: boolean
  readonly signal?: AbortSignal
}

export interface DeleteObjectOptions<T extends KubeObject> {
  readonly preconditions?: ObjectPreconditions
  /** Throws to refuse. Runs again on the newest object after a conflict. */
  readonly validate?: (object: DeepReadonly<T>) => void | Promise<void>
  readonly suggestion?: StoredObject<T>
  readonly signal?: AbortSignal
}

export interface StorageStats {
  readonly objectCount: number
  /** Bytes of a value as it is stored, on average; 0 without objects. */
  readonly estimatedAverageObjectSize: number
}

/**
 * Object storage for one resource: what the registry stands on. The object store over a driver is one; the cacher wraps one and is one.
 * All failures are `StorageError`s, also of open watches; the registry's `translate-error.ts` makes API errors of them. Errors of callbacks
 * (`tryUpdate`, `validate`) and reasons of aborted signals pass through unchanged, and so do bugs (`InvalidKeyError`, `TypeError`).
 */
export interface Storage<T extends KubeObject = KubeObject> {
  /** `object.metadata.resourceVersion` must be empty. The key's object must be absent. */
  create(key: string, object: T, options?: CreateOptions): Promise<StoredObject<T>>
  get(key: string, options?: GetOptions): Promise<StoredObject<T>>
  list(key: string, options?: ListObjectsOptions): Promise<ObjectList<T>>
  watch(key: string, options: WatchObjectsOptions): Promise<ObjectWatch<T>>
  /** Calls `tryUpdate` with a copy of its own (but see `sharesCurrent`), again after each lost race. A result that equals the stored bytes is not written. */
  guaranteedUpdate(key: string, tryUpdate: TryUpdate<T>, options?: UpdateOptions<T>): Promise<StoredObject<T>>
  /** Resolves to the object as it was last, with the deletion's revision. */
  delete(key: string, options?: DeleteObjectOptions<T>): Promise<StoredObject<T>>
  /**
   * Removes a value that cannot be decoded or decrypted, unchecked; `InvalidObject` for one that can be read. Resolves to the deletion's
   * revision. Watches that would have to show the object as it was end with `UnreadableDeletion`.
   */
  deleteUnreadable(key: string, options?: { readonly signal?: AbortSignal }): Promise<Revision>
  count(key: string): Promise<number>
  /** Of all objects of the resource. */
  stats(): Promise<StorageStats>
  /** The store's revision now. */
  currentRevision(): Promise<Revision>
  /** Rejects while it cannot serve (`NotReady`, `Unreachable`); the reason is in the message. */
  checkReady(): Promise<void>
  close(): Promise<void>
}

/**
 * An immutable view of a resource's objects at one revision. Ranges are those within the resource's prefix; reads never wait, and may
 * throw a `StorageError` for a value that cannot be opened.
 */
export interface ObjectSnapshot<T extends KubeObject = KubeObject> {
  get(key: string): StoredObject<T> | undefined
  /** In key order. Unless `keep` is false, what was opened for it stays open for the next who looks. */
  scan(range: KeyRange, options?: { readonly keep?: boolean }): IterableIterator<StoredObject<T>>
  /** Those that the predicate lets through; between them, now and then, undefined, so that who walks can pause. */
  select(range: KeyRange, predicate: Predicate): IterableIterator<StoredObject<T> | undefined>
  count(range: KeyRange): number
}

/** Optional power of a storage that keeps past states at hand anyway; ask with `hasObjectSnapshots`. */
export interface ObjectSnapshots<T extends KubeObject = KubeObject> {
  /** Exactly what was there at `revision`, and nothing else is kept alive by it; undefined when that is no longer, or not yet, known. */
  snapshotAt(revision: Revision): ObjectSnapshot<T> | undefined
}

/** Turns objects of one resource into stored bytes and back. The object store owns when, this owns how. */
export interface ObjectCodec<T extends KubeObject = KubeObject> {
  /**
   * Hub object (resourceVersion ignored) → stored value. Deterministic: equal objects give equal bytes. `key`: where it is about to be written, for
   * codecs that remember what they will be asked to open.
   */
  encode(object: T, key?: string): Uint8Array
  /** Opens a stored value without parsing JSON where its form allows it. Throws `CorruptObjectError`. */
  open(key: string, value: Uint8Array, revision: Revision): StoredObject<T>
  /** For stored values that can be selected without being opened. */
  readonly headers?: ValueHeaders
}

export interface ValueHeaders {
  /** The same one for values with the same labels; undefined for a value that must be opened. */
  labelSetOf(value: Uint8Array): LabelSet | undefined
  /** Of a value that has a label set. */
  matcher(predicate: Predicate): (value: Uint8Array, own: LabelSet) => boolean
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
  /** A value could not be transformed (decrypted, encrypted); the reason is the message. */
  | 'Internal'
  | 'Unreachable'
  /** A cache that is being filled cannot open watches yet. */
  | 'NotReady'

/** Recognised by name (`isStorageError`), never by instanceof. */
export interface StorageErrorDetails {
  readonly code: StorageErrorCode
  readonly key: string
  readonly revision?: Revision
  readonly currentRevision?: Revision
  /** For an expired continue token: one that goes on inconsistently. */
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
