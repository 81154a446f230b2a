import type { Entry, LeaseId, Revision } from '@keelson/storagebackend'
import type { Lease } from './leases.ts'

/** The changes of one flush. After a crash, either all or none of them are on disk. */
export interface WriteBatch {
  /** The revision of the store after this batch. */
  readonly revision: Revision
  /** The entries to write: the last state of each key that the batch puts. */
  readonly puts: readonly Entry[]
  readonly deletes: Iterable<string>
  /** The durable entries that the batch replaces or deletes. */
  readonly replaced: Iterable<Entry>
  readonly leases: readonly Lease[]
  readonly endedLeases: readonly LeaseId[]
}

/** The contents of a store on disk when it is opened. */
export interface LoadedState {
  readonly revision: Revision
  /** The entries, in UTF-8 order of their keys. */
  readonly entries: Iterable<Entry>
  readonly leases: readonly Lease[]
}

/** Makes revisions durable, before the store makes them visible. The store calls `write` again only after the last call has ended. */
export interface Durability {
  load(): LoadedState
  /**
   * Writes a batch. Resolves when the batch would survive a power failure. Rejects with `NotWrittenError` if nothing was written and reads
   * are still correct (the disk is full). After any other error, the state on disk is unknown.
   */
  write(batch: WriteBatch): Promise<void>
  /** Throws if it is known that written data was lost. It must be fast. */
  checkHealth?(): void
  size(): Promise<number>
  close(): Promise<void>
}

/** The error of a batch for which the disk has no space. Nothing was written. */
export class NotWrittenError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'NotWrittenError'
  }
}

/**
 * The error if this version cannot open the store in a directory, although the files are not damaged. The message tells the operator what
 * to do.
 */
export class UnusableStoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnusableStoreError'
  }
}
