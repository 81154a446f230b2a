import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { hasSnapshots } from './backend.ts'
import type { Backend, CommitResult, Entry, GetResult, LeaseId, Operation, ReadOptions, Revision, BackendSnapshot } from './backend.ts'
import { transformFailed } from './errors.ts'
import type { LabelSet } from './record-matcher.ts'
import { matcher } from './predicate.ts'
import type { ResourceMetrics, StorageOperation } from './storage-metrics.ts'
import type { ObjectCodec, Predicate, StoredObject, ValueHeaders, ObjectSnapshot, ObjectSnapshots, Storage } from './storage.ts'
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

/** Options that are passed on unchanged, because their signal may be lazy. */
type Abortable = Pick<ReadOptions, 'signal' | 'aborted'>

/** The result of comparing stored bytes with new bytes. */
type Comparison = 'same' | 'stale' | 'different'

/**
 * Opens the entries of one resource as objects. The opened object is kept in the entry's slot and shared by all readers. With a transformer only that
 * object has the plain bytes, and each version is transformed once.
 *
 * `open` never waits. If a transformer may wait (`ValueTransformer.prepare`), call `prepare` or `openAhead` first.
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

  open(entry: Entry): StoredObject<T> {
    const { view } = entry
    if (isStoredObject(view)) return view as StoredObject<T>
    const object = this.#open(entry, entry.modRevision)
    if (view !== undefined && object instanceof StoredRecord) object.labelSet = view as LabelSet
    entry.view = object
    return object
  }

  /** Opens the entry without keeping the object in its slot. */
  openOnce(entry: Entry): StoredObject<T> {
    const { view } = entry
    return isStoredObject(view) ? (view as StoredObject<T>) : this.#open(entry, entry.modRevision)
  }

  /**
   * Returns a function that opens entries and returns those that match the predicate. If the encoding allows that, it matches entries without opening
   * them.
   */
  selecting(predicate: Predicate): (entry: Entry) => StoredObject<T> | undefined {
    const matches = matcher(predicate)
    const headers = this.transformer ? undefined : this.codec.headers
    const matchesHeader = headers?.matcher(predicate)
    return (entry) => {
      const labelSet = headers && labelSetOf(entry, headers)
      if (labelSet !== undefined) return matchesHeader!(entry.value, labelSet) ? this.open(entry) : undefined
      const object = this.open(entry)
      return matches === undefined || matches(object) ? object : undefined
    }
  }

  /** Opens the object of a DELETED event: the last version, with the revision of the deletion. */
  openDeleted(previous: Entry, revision: Revision): StoredObject<T> {
    return this.#open(previous, revision)
  }

  /** Makes an entry ready to be opened. Returns a promise only if that has to wait, which is rare. */
  prepare(entry: Entry): Promise<void> | undefined {
    if (entry.view !== undefined || this.transformer?.prepare?.(entry.value, entry.key) === undefined) return undefined
    return this.#prepare(this.transformer, entry, true)
  }

  /**
   * Opens the entries of a list before its walk, for values with a transformer. It may wait for a key, works in slices, and finds unreadable values
   * before the response starts.
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

  /** Reads an entry, which may not be ready to be opened. */
  readStored(key: string, options: Abortable): Promise<GetResult> {
    return this.measured('get', key, () => this.backend.get(key, options))
  }

  /** Reads an entry and makes it ready to be opened. */
  read(key: string, options: Abortable): Promise<GetResult> {
    return this.transformer === undefined ? this.readStored(key, options) : this.#readPrepared(key, options)
  }

  async #readPrepared(key: string, options: Abortable): Promise<GetResult> {
    const result = await this.readStored(key, options)
    const wait = result.entry && this.prepare(result.entry)
    if (wait) await wait
    return result
  }

  /** Puts encoded bytes if the key is at the revision `expected` (0: absent). After a lost race the current entry is ready to be opened. */
  put(key: string, bytes: Uint8Array, lease: LeaseId, expected: Revision): Promise<CommitResult> {
    return this.#commit({ type: 'put', key, value: this.transformer ? this.#toStorage(key, bytes) : bytes, lease }, expected)
  }

  delete(key: string, expected: Revision): Promise<CommitResult> {
    return this.#commit({ type: 'delete', key }, expected)
  }

  /** Deletes like `delete`, but does not prepare the current entry after a lost race, because it may be unreadable. */
  deleteStored(key: string, expected: Revision): Promise<CommitResult> {
    return this.#commitStored({ type: 'delete', key }, expected)
  }

  /** Compares the entry's value with encoded bytes. With a transformer it returns a promise, and 'stale' reflects the transformer's present keys. */
  compare(entry: Entry, bytes: Uint8Array): Comparison | Promise<Comparison> {
    if (!this.transformer) return Buffer.compare(bytes, entry.value) === 0 ? 'same' : 'different'
    return this.#compareTransformed(this.transformer, entry, bytes)
  }

  async #compareTransformed(transformer: ValueTransformer, entry: Entry, bytes: Uint8Array): Promise<Comparison> {
    try {
      await this.#prepare(transformer, entry, false)
      const plain = transformer.fromStorage(entry.value, entry.key)
      if (Buffer.compare(bytes, plain.data) !== 0) return 'different'
      return plain.stale ? 'stale' : 'same'
    } catch {
      // The value was readable when it was opened, but is not any more. It must be written again.
      return 'different'
    }
  }

  /** Calls the transformer again after each wait, and opens the entry in the same turn, because the transformer may be replaced at any time. */
  async #prepare(transformer: ValueTransformer, entry: Entry, open: boolean): Promise<void> {
    try {
      for (let wait; (wait = transformer.prepare?.(entry.value, entry.key));) await wait
    } catch (error) {
      throw transformFailed(entry.key, error)
    }
    if (open) this.open(entry)
  }

  /** Sends a request about `key` to the driver: counts it, measures it, and translates its error. */
  async measured<R>(operation: StorageOperation, key: string, request: () => R | Promise<R>): Promise<R> {
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
  #commitStored(operation: Operation, expected: Revision): Promise<CommitResult> {
    const { key } = operation
    const named = operation.type === 'delete' ? 'delete' : expected === 0 ? 'create' : 'update'
    return this.measured(named, key, () => this.backend.commit({ compare: [{ key, modRevision: expected }], operations: [operation] }))
  }

  async #commit(operation: Operation, expected: Revision): Promise<CommitResult> {
    const result = await this.#commitStored(operation, expected)
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
      if (!this.transformer && isEncryptedValue(value)) throw transformFailed(entry.key, encryptedUnexpectedly)
      this.metrics?.undecodable()
      throw translateBackendError(error, entry.key)
    }
  }

  #fromStorage(transformer: ValueTransformer, { key, value }: Entry): Uint8Array {
    try {
      return transformer.fromStorage(value, key).data
    } catch (error) {
      throw transformFailed(key, error)
    }
  }

  #toStorage(key: string, bytes: Uint8Array): Uint8Array {
    try {
      return this.transformer!.toStorage(bytes, key)
    } catch (error) {
      throw transformFailed(key, error)
    }
  }
}

/** Returns the label set of an entry and keeps it in the entry's slot. */
function labelSetOf(entry: Entry, headers: ValueHeaders): LabelSet | undefined {
  const { view } = entry
  if (view === undefined) {
    const labelSet = headers.labelSetOf(entry.value)
    entry.view = labelSet
    return labelSet
  }
  if (view instanceof StoredRecord) return (view.labelSet ??= headers.labelSetOf(entry.value))
  return isStoredObject(view) ? undefined : (view as LabelSet)
}

/** Returns the `ObjectSnapshots` of a driver with snapshots. Undefined with a transformer, which may wait, because reading a snapshot never waits. */
export function objectSnapshots<T extends KubeObject>(access: ObjectAccess<T>, prefix: string): ObjectSnapshots<T> | undefined {
  const { backend } = access
  if (!hasSnapshots(backend) || access.transformer) return undefined
  return {
    snapshotAt(revision: Revision) {
      try {
        const snapshot = backend.snapshotAt(revision)
        return snapshot && openSnapshot(access, snapshot.within(prefix))
      } catch (error) {
        throw translateBackendError(error, prefix)
      }
    },
  }
}

/** Wraps a driver's snapshot. Objects are opened when they are read. */
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

/** Returns whether a storage has past states in memory. */
export function hasObjectSnapshots<T extends KubeObject>(storage: Storage<T>): storage is Storage<T> & ObjectSnapshots<T> {
  return 'snapshotAt' in storage
}

function* openEach<T extends KubeObject>(
  entries: Iterable<Entry>,
  open: (entry: Entry) => StoredObject<T>,
): Generator<StoredObject<T>, undefined> {
  for (const entry of entries) yield open(entry)
}

/** A walk may pause after this number of entries that do not match. */
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
