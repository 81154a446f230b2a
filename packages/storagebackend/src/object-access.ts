import type { KubeObject } from '@keelson/apimachinery'
import type { Backend, CommitResult, Entry, Operation, Revision } from './backend.ts'
import { translateBackendError } from './translate-error.ts'
import type { ObjectCodec, StoredObject } from './storage.ts'

/** Entries of one resource, opened. The opened form is kept in the entry's slot, so every reader of an entry shares it. */
export class ObjectAccess<T extends KubeObject> {
  readonly backend: Backend
  readonly codec: ObjectCodec<T>

  constructor(backend: Backend, codec: ObjectCodec<T>) {
    this.backend = backend
    this.codec = codec
  }

  open(entry: Entry): StoredObject<T> {
    return (entry.view ??= this.#open(entry, entry.modRevision)) as StoredObject<T>
  }

  /** What a DELETED event carries: the object as it was, under the deletion's revision. */
  openDeleted(previous: Entry, revision: Revision): StoredObject<T> {
    return this.#open(previous, revision)
  }

  async read(key: string, signal?: AbortSignal): Promise<{ readonly entry: Entry | undefined; readonly revision: Revision }> {
    try {
      return await this.backend.get(key, signal ? { signal } : {})
    } catch (error) {
      throw translateBackendError(error, key)
    }
  }

  /** One operation on one key, if that is still at `expected` (0: absent). */
  async write(operation: Operation, expected: Revision): Promise<CommitResult> {
    try {
      return await this.backend.commit({ compare: [{ key: operation.key, modRevision: expected }], operations: [operation] })
    } catch (error) {
      throw translateBackendError(error, operation.key)
    }
  }

  #open(entry: Entry, revision: Revision): StoredObject<T> {
    try {
      return this.codec.open(entry.key, entry.value, revision)
    } catch (error) {
      throw translateBackendError(error, entry.key)
    }
  }
}
