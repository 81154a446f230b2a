import { TimeSlice } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { Backend, CommitResult, Entry, GetResult, LeaseId, Operation, ReadOptions, Revision } from './backend.ts'
import { transformFailed } from './errors.ts'
import type { LabelSet } from './label-sets.ts'
import { matcher } from './predicate.ts'
import type { ResourceMetrics, StorageOperation } from './storage-metrics.ts'
import { isStoredObject } from './storage.ts'
import type { ObjectCodec, Predicate, StoredObject, ValueHeaders } from './storage.ts'
import { StoredRecord } from './stored-record.ts'
import { translateBackendError } from './translate-error.ts'
import { encryptedUnexpectedly, isEncryptedValue } from './value/encrypted-prefix.ts'
import type { ValueTransformer } from './value/value-transformer.ts'

export interface ObjectAccessOptions<T extends KubeObject> {
  readonly backend: Backend
  readonly codec: ObjectCodec<T>
  readonly transformer: ValueTransformer | undefined
  readonly metrics: ResourceMetrics | undefined
}

/** Passed on as it is: its signal may be one that is only made when it is asked for. */
type Abortable = Pick<ReadOptions, 'signal' | 'aborted'>

/** How what is stored compares with what would be written. */
export type Comparison = 'same' | 'stale' | 'different'

/**
 * Entries of one resource, opened. The opened form is kept in the entry's slot, so every reader of an entry shares it; where values are
 * transformed, that is the only place that has the plain bytes, and each version is transformed once.
 *
 * `open` never waits. Where a transformer may have to (`ValueTransformer.prepare`), `prepare` or `openAhead` comes first.
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

  /** For one look: unless somebody else opened it, the entry is as it was. */
  openOnce(entry: Entry): StoredObject<T> {
    const { view } = entry
    return isStoredObject(view) ? (view as StoredObject<T>) : this.#open(entry, entry.modRevision)
  }

  /** Opens what the predicate lets through, and where that can be told from the stored value, nothing else. */
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

  /** What a DELETED event carries: the object as it was, under the deletion's revision. */
  openDeleted(previous: Entry, revision: Revision): StoredObject<T> {
    return this.#open(previous, revision)
  }

  /** What to wait for before the entry can be opened; nearly always undefined. */
  prepare(entry: Entry): Promise<void> | undefined {
    if (entry.view !== undefined || this.transformer?.prepare?.(entry.value, entry.key) === undefined) return undefined
    return this.#prepare(this.transformer, entry, true)
  }

  /**
   * Opens what a walk will come by, where values are transformed: it may have to wait for a key, it takes its time in slices, and a
   * value that cannot be read is known before the answer has begun.
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

  /** As it is stored: it may be that it cannot be opened. */
  readStored(key: string, options: Abortable): Promise<GetResult> {
    return this.measured('get', key, () => this.backend.get(key, options))
  }

  /** Also prepared: the entry can be opened. */
  read(key: string, options: Abortable): Promise<GetResult> {
    return this.transformer === undefined ? this.readStored(key, options) : this.#readPrepared(key, options)
  }

  async #readPrepared(key: string, options: Abortable): Promise<GetResult> {
    const result = await this.readStored(key, options)
    const wait = result.entry && this.prepare(result.entry)
    if (wait) await wait
    return result
  }

  /** Puts encoded bytes, if the key is still at `expected` (0: absent). What is there instead is prepared. */
  put(key: string, bytes: Uint8Array, lease: LeaseId, expected: Revision): Promise<CommitResult> {
    return this.#commit({ type: 'put', key, value: this.transformer ? this.#toStorage(key, bytes) : bytes, lease }, expected)
  }

  delete(key: string, expected: Revision): Promise<CommitResult> {
    return this.#commit({ type: 'delete', key }, expected)
  }

  /** Without looking at what is there instead, which it may not be possible to open. */
  deleteStored(key: string, expected: Revision): Promise<CommitResult> {
    return this.#commitStored({ type: 'delete', key }, expected)
  }

  /** A promise only where values are transformed. Whether writing these encoded bytes would change the entry's value. Staleness is asked for now, not when the entry was opened. */
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
      // It could be read when it was opened, and cannot any more: it is to be written again in any case.
      return 'different'
    }
  }

  /** Asked again after each wait: the transformers may have been replaced meanwhile. Opened in the same turn, for the same reason. */
  async #prepare(transformer: ValueTransformer, entry: Entry, open: boolean): Promise<void> {
    try {
      for (let wait; (wait = transformer.prepare?.(entry.value, entry.key));) await wait
    } catch (error) {
      throw transformFailed(entry.key, error)
    }
    if (open) this.open(entry)
  }

  /** A request to the driver about `key`: counted, timed, and its failure translated. */
  async measured<R>(operation: StorageOperation, key: string, ask: () => R | Promise<R>): Promise<R> {
    const started = performance.now()
    try {
      const answer = await ask()
      this.metrics?.request(operation, started, false)
      return answer
    } catch (error) {
      this.metrics?.request(operation, started, true)
      throw translateBackendError(error, key)
    }
  }

  /** One operation on one key. */
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

/** Kept with the entry, opened or not. */
function labelSetOf(entry: Entry, headers: ValueHeaders): LabelSet | undefined {
  const { view } = entry
  if (view === undefined) {
    const made = headers.labelSetOf(entry.value)
    entry.view = made
    return made
  }
  if (view instanceof StoredRecord) return (view.labelSet ??= headers.labelSetOf(entry.value))
  return isStoredObject(view) ? undefined : (view as LabelSet)
}
