import type { Entry, LeaseId, Revision } from '@keelson/storagebackend'
import type { Lease } from './leases.ts'

/** The changes of one flush, which becomes durable as a whole or not at all. */
export interface WriteBatch {
  /** The store's revision with this batch. */
  readonly revision: Revision
  /** The last state of each key in the batch. */
  readonly puts: readonly Entry[]
  readonly deletes: Iterable<string>
  /** The durable entries that the puts and deletions replace. */
  readonly replaced: Iterable<Entry>
  readonly leases: readonly Lease[]
  readonly endedLeases: readonly LeaseId[]
}

/** The durable contents of a store that is opened again. */
export interface LoadedState {
  readonly revision: Revision
  /** In UTF-8 order of keys. */
  readonly entries: Iterable<Entry>
  readonly leases: readonly Lease[]
}

/** Makes revisions durable before they become visible. The store has one write in progress at a time. */
export interface Durability {
  load(): LoadedState
  /**
   * Resolves only when the batch would survive a power cut. Rejects with `NotWrittenError` if nothing of it was written and reads are still correct (no
   * room). After any other error the state of the disk is unknown.
   */
  write(batch: WriteBatch): Promise<void>
  /** Throws if written data is known to be lost. Cheap. */
  checkHealth?(): void
  size(): Promise<number>
  close(): Promise<void>
}

/** There is no room for the batch; the disk is unchanged. */
export class NotWrittenError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'NotWrittenError'
  }
}

/** This version cannot open the store in the directory, for another reason than damage. The message tells the operator what to do. */
export class UnusableStoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnusableStoreError'
  }
}
