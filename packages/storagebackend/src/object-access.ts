import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { hasSnapshots } from './backend.ts'
import type {
  Backend,
  CommitOptions,
  CommitResult,
  Entry,
  GetResult,
  LeaseId,
  Operation,
  ReadOptions,
  Revision,
  BackendSnapshot,
} from './backend.ts'
import { newTransformError } from './errors.ts'
import type { LabelSet } from './record-matcher.ts'
import { createMatcher } from './predicate.ts'
import type { ResourceMetrics, StorageOperation } from './storage-metrics.ts'
import type {
  FirstObject,
  ObjectCodec,
  Predicate,
  StoredObject,
  ValueHeaders,
  ObjectSnapshot,
  ObjectSnapshots,
  Storage,
} from './storage.ts'
import { isStoredObject, StoredRecord } from './stored-record.ts'
import { translateBackendError } from './translate-error.ts'
import { encryptedUnexpectedly, isEncryptedValue } from './value-transformer.ts'
import type { ValueTransformer } from './value-transformer.ts'

interface ObjectAccessOptions<T extends KubeObject> {
  readonly backend: Backend
  readonly codec: ObjectCodec<T>
  readonly transformer: ValueTransformer | undefined
  readonly metrics: ResourceMetrics | undefined
}

/** The signal and the span of a read. They are passed on as one object, because reading `signal` may create the signal. */
type Abortable = Pick<ReadOptions, 'signal' | 'aborted' | 'span'>

/** A value to write. */
export interface ObjectPut {
  readonly key: string
  /** The encoded object. */
  readonly bytes: Uint8Array
  readonly lease: LeaseId
}

/**
 * The result of comparing a stored value with new bytes. `stale`: the object is the same, but the value must be written again (for example
 * encrypted with a new key).
 */
type Comparison = 'same' | 'stale' | 'different'

/**
 * Decodes the entries of one resource into objects. The object is cached in the entry's `view`, and all readers share it. With a
 * transformer, only this object has the decrypted bytes, and each version is decrypted once. `open` returns at once. If the transformer may
 * have to wait (`ValueTransformer.prepare`), call `prepare` or `openAhead` before `open`.
 */
export class ObjectAccess<T extends KubeObject> {
  readonly backend: Backend
  readonly codec: ObjectCodec<T>
  readonly transformer: ValueTransformer | undefined

  readonly metrics: ResourceMetrics | undefined

  constructor({ backend, codec, transformer, metrics }: ObjectAccessOptions<T>) {
    this.backend = backend
    this.codec = codec
    this.transformer = transformer
    this.metrics = metrics
  }

  /** Encodes an object, in steps if the codec can. */
  encode(object: T, key: string): Uint8Array | Promise<Uint8Array> {
    const { codec } = this
    return codec.encodeInSteps === undefined ? codec.encode(object, key) : codec.encodeInSteps(object, key)
  }

  open(entry: Entry): StoredObject<T> {
    const view = this.#getView(entry)
    if (isStoredObject(view)) return view as StoredObject<T>
    const object = this.#open(entry, entry.modRevision)
    if (view !== undefined && object instanceof StoredRecord) object.labelSet = view as LabelSet
    entry.view = object
    return object
  }

  /** Returns what earlier reads have cached in an entry. */
  #getView({ view }: Entry): unknown {
    const { codec } = this
    return codec.owns === undefined || view === undefined || codec.owns(view as object) ? view : undefined
  }

  /** Decodes the entry without caching the object in its `view`. */
  openOnce(entry: Entry): StoredObject<T> {
    const view = this.#getView(entry)
    return isStoredObject(view) ? (view as StoredObject<T>) : this.#open(entry, entry.modRevision)
  }

  /**
   * Returns a function that decodes an entry if it matches the predicate, and otherwise returns undefined. If the encoding allows it,
   * entries are matched without decoding them.
   */
  selecting(predicate: Predicate): (entry: Entry) => StoredObject<T> | undefined {
    const matches = createMatcher(predicate)
    const headers = this.transformer ? undefined : this.codec.headers
    const matchesHeader = headers?.createMatcher(predicate)
    return (entry) => {
      const labelSet = headers && readLabelSet(entry, this.#getView(entry), headers)
      if (labelSet !== undefined) return matchesHeader!(entry.value, labelSet) ? this.open(entry) : undefined
      const object = this.open(entry)
      return matches === undefined || matches(object) ? object : undefined
    }
  }

  /** Returns the object of a DELETED event. It is the last version of the object, with the revision of the deletion. */
  openDeleted(previous: Entry, revision: Revision): StoredObject<T> {
    return this.#open(previous, revision)
  }

  /** Prepares an entry for `open`, for example fetches its encryption key. Returns a promise only if it has to wait, which is rare. */
  prepare(entry: Entry): Promise<void> | undefined {
    if (entry.view !== undefined || this.transformer?.prepare?.(entry.value, entry.key) === undefined) return undefined
    return this.#prepare(this.transformer, entry, true)
  }

  /**
   * Decodes the entries of a list before the list is iterated, if values have a transformer. It may wait for a key and works in slices.
   * Unreadable values are found before the response starts.
   */
  async openAhead(entries: Iterable<Entry>): Promise<void> {
    const slice = new TimeSlice()
    for (const entry of entries) {
      if (entry.view !== undefined) continue
      const wait = this.prepare(entry)
      if (wait) await wait
      this.open(entry)
      const pause = slice.pauseIfOver()
      if (pause) await pause
    }
  }

  /** Reads an entry without preparing it for `open`. */
  readStored(key: string, options: Abortable): Promise<GetResult> {
    return this.measure('get', key, () => this.backend.get(key, options))
  }

  /** Reads an entry and prepares it for `open`. */
  read(key: string, options: Abortable): Promise<GetResult> {
    return this.transformer === undefined ? this.readStored(key, options) : this.#readPrepared(key, options)
  }

  async #readPrepared(key: string, options: Abortable): Promise<GetResult> {
    const result = await this.readStored(key, options)
    const wait = result.entry && this.prepare(result.entry)
    if (wait) await wait
    return result
  }

  /**
   * Writes encoded bytes if the key is at the revision `expected` (0: absent). If a concurrent write came first, the current entry in the
   * result is prepared for `open`.
   */
  put(put: ObjectPut, expected: Revision, options?: CommitOptions): Promise<CommitResult> {
    const { key, bytes, lease } = put
    const value = this.transformer ? this.#toStorage(key, bytes) : bytes
    options?.span?.addEvent('TransformToStorage succeeded')
    return this.#commit({ type: 'put', key, value, lease }, expected, options)
  }

  delete(key: string, expected: Revision, options?: CommitOptions): Promise<CommitResult> {
    return this.#commit({ type: 'delete', key }, expected, options)
  }

  /**
   * Deletes a key if it is at the revision `expected`. Unlike `delete`, it does not prepare the current entry if a concurrent write came
   * first, because that entry may be unreadable.
   */
  deleteStored(key: string, expected: Revision): Promise<CommitResult> {
    return this.#commitStored({ type: 'delete', key }, expected)
  }

  /**
   * Compares the entry's value with encoded bytes. With a transformer it returns a promise, and the result is 'stale' if the transformer
   * would now write the value differently.
   */
  compare(entry: Entry, bytes: Uint8Array): Comparison | Promise<Comparison> {
    if (!this.transformer) return this.#isSame(entry.value, bytes) ? 'same' : 'different'
    return this.#compareTransformed(this.transformer, entry, bytes)
  }

  async #compareTransformed(transformer: ValueTransformer, entry: Entry, bytes: Uint8Array): Promise<Comparison> {
    try {
      await this.#prepare(transformer, entry, false)
      const plain = transformer.fromStorage(entry.value, entry.key)
      if (!this.#isSame(plain.data, bytes)) return 'different'
      return plain.stale ? 'stale' : 'same'
    } catch {
      // The value can no longer be read, although it could be read when it was decoded first. It must be written again.
      return 'different'
    }
  }

  #isSame(value: Uint8Array, bytes: Uint8Array): boolean {
    return this.codec.isSame?.(value, bytes) ?? Buffer.compare(bytes, value) === 0
  }

  /**
   * Prepares the entry, and decodes it if `open` is true. It calls the transformer again after each wait, because the transformer may be
   * replaced at any time. It decodes the entry in the same turn for the same reason.
   */
  async #prepare(transformer: ValueTransformer, entry: Entry, open: boolean): Promise<void> {
    try {
      for (let wait; (wait = transformer.prepare?.(entry.value, entry.key));) await wait
    } catch (error) {
      throw newTransformError(entry.key, error)
    }
    if (open) this.open(entry)
  }

  /** Calls the driver for a request about `key`, and records its duration. Translates the driver's errors. */
  async measure<R>(operation: StorageOperation, key: string, request: () => R | Promise<R>): Promise<R> {
    const started = performance.now()
    try {
      const result = await request()
      this.metrics?.request(operation, started, false)
      return result
    } catch (error) {
      this.metrics?.request(operation, started, true)
      throw translateBackendError(error, key)
    }
  }

  /** Commits one operation on one key. */
  #commitStored(operation: Operation, expected: Revision, options?: CommitOptions): Promise<CommitResult> {
    const { key } = operation
    const verb = operation.type === 'delete' ? 'delete' : expected === 0 ? 'create' : 'update'
    return this.measure(verb, key, () =>
      this.backend.commit({ compare: [{ key, modRevision: expected }], operations: [operation] }, options),
    )
  }

  async #commit(operation: Operation, expected: Revision, options: CommitOptions | undefined): Promise<CommitResult> {
    const result = await this.#commitStored(operation, expected, options)
    const current = result.committed ? undefined : result.current[0]
    const wait = current && this.prepare(current)
    if (wait) await wait
    return result
  }

  #open(entry: Entry, revision: Revision): StoredObject<T> {
    const value = this.transformer ? this.#fromStorage(this.transformer, entry) : entry.value
    try {
      return this.codec.open(entry.key, value, revision)
    } catch (error) {
      if (!this.transformer && isEncryptedValue(value)) throw newTransformError(entry.key, encryptedUnexpectedly)
      this.metrics?.countUndecodable()
      throw translateBackendError(error, entry.key)
    }
  }

  #fromStorage(transformer: ValueTransformer, { key, value }: Entry): Uint8Array {
    try {
      return transformer.fromStorage(value, key).data
    } catch (error) {
      throw newTransformError(key, error)
    }
  }

  #toStorage(key: string, bytes: Uint8Array): Uint8Array {
    try {
      return this.transformer!.toStorage(bytes, key)
    } catch (error) {
      throw newTransformError(key, error)
    }
  }
}

/** Returns the label set of an entry, and caches the label set in the entry's `view`. */
function readLabelSet(entry: Entry, view: unknown, headers: ValueHeaders): LabelSet | undefined {
  if (view === undefined) {
    const labelSet = headers.readLabelSet(entry.value)
    entry.view = labelSet
    return labelSet
  }
  if (view instanceof StoredRecord) return (view.labelSet ??= headers.readLabelSet(entry.value))
  return isStoredObject(view) ? undefined : (view as LabelSet)
}

/**
 * Returns the `ObjectSnapshots` of a driver with snapshots. Returns undefined if there is a transformer, because reads of a snapshot must
 * return at once, and a transformer may have to wait.
 */
export function createObjectSnapshots<T extends KubeObject>(access: ObjectAccess<T>, prefix: string): ObjectSnapshots<T> | undefined {
  const { backend } = access
  if (!hasSnapshots(backend) || access.transformer) return undefined
  return {
    findSnapshot(revision: Revision) {
      try {
        const snapshot = backend.findSnapshot(revision)
        return snapshot && openSnapshot(access, snapshot.restrictTo(prefix))
      } catch (error) {
        throw translateBackendError(error, prefix)
      }
    },
  }
}

/** Creates an `ObjectSnapshot` from a driver's snapshot. Objects are decoded when they are read. */
export function openSnapshot<T extends KubeObject>(access: ObjectAccess<T>, snapshot: BackendSnapshot): ObjectSnapshot<T> {
  return {
    get(key) {
      const entry = snapshot.get(key)
      return entry && access.open(entry)
    },
    scan: (range, { keep = true } = {}) => openEach(snapshot.scan(range), (entry) => (keep ? access.open(entry) : access.openOnce(entry))),
    select: (range, predicate) => selectEach(access.selecting(predicate), snapshot.scan(range)),
    count: (range) => snapshot.count(range),
  }
}

/** Returns true if the storage implements `ObjectSnapshots`. */
export function hasFirstObject<T extends KubeObject>(storage: Storage<T>): storage is Storage<T> & FirstObject {
  return 'waitForFirstObject' in storage
}

export function hasObjectSnapshots<T extends KubeObject>(storage: Storage<T>): storage is Storage<T> & ObjectSnapshots<T> {
  return 'findSnapshot' in storage
}

function* openEach<T extends KubeObject>(
  entries: Iterable<Entry>,
  open: (entry: Entry) => StoredObject<T>,
): Generator<StoredObject<T>, undefined> {
  for (const entry of entries) yield open(entry)
}

/** The number of entries without a match after which a walk lets its caller pause. */
const skippedBetweenPauses = 32

function* selectEach<T extends KubeObject>(
  select: (entry: Entry) => StoredObject<T> | undefined,
  entries: Iterable<Entry>,
): Generator<StoredObject<T> | undefined, undefined> {
  let skipped = 0
  for (const entry of entries) {
    const object = select(entry)
    if (object === undefined && ++skipped % skippedBetweenPauses !== 0) continue
    yield object
  }
}
