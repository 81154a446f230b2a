import type { Entry, LeaseId, Revision } from '@keelson/storagebackend'
import type { Lease } from './leases.ts'

/** The changes of one flush, which becomes durable completely or not at all. */
export interface WriteBatch {
  /** The revision of the store after this batch. */
  readonly revision: Revision
  /** The last state of each key in the batch. */
  readonly puts: readonly Entry[]
  readonly deletes: Iterable<string>
  /** The durable entries that the puts and deletes replace. */
  readonly replaced: Iterable<Entry>
  readonly leases: readonly Lease[]
  readonly endedLeases: readonly LeaseId[]
}

/** The durable contents of a store when it is opened. */
export interface LoadedState {
  readonly revision: Revision
  /** The entries, in UTF-8 order of keys. */
  readonly entries: Iterable<Entry>
  readonly leases: readonly Lease[]
}

/** Makes revisions durable before they become visible. The store has one write in progress at a time. */
export interface Durability {
  load(): LoadedState
  /**
   * Writes a batch. Resolves when it would survive a power failure. Rejects with `NotWrittenError` if nothing of it was written and reads are still
   * correct (the disk is full). After any other error the state of the disk is unknown.
   */
  write(batch: WriteBatch): Promise<void>
  /** Throws if written data is known to be lost. Must be fast. */
  checkHealth?(): void
  size(): Promise<number>
  close(): Promise<void>
}

/** The disk has no space for the batch, and is unchanged. */
export class NotWrittenError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'NotWrittenError'
  }
}

/** This version cannot open the store in the directory, although the files are not damaged. The message tells the operator what to do. */
export class UnusableStoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnusableStoreError'
  }
}
