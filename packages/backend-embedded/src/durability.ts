import type { Entry, LeaseId, Revision } from '@keelson/storagebackend'
import type { Lease } from './leases.ts'

/** All that one flush makes durable, or nothing of it. */
export interface WriteBatch {
  /** The store's revision with this batch. */
  readonly revision: Revision
  /** The last state of each key that the batch touches. */
  readonly puts: readonly Entry[]
  readonly deletes: Iterable<string>
  /** What the puts and deletes do away with: the entries that were durable before the batch. */
  readonly replaced: Iterable<Entry>
  readonly leases: readonly Lease[]
  readonly endedLeases: readonly LeaseId[]
}

/** What a store that is opened again begins with. */
export interface LoadedState {
  readonly revision: Revision
  /** In byte order of keys. */
  readonly entries: Iterable<Entry>
  readonly leases: readonly Lease[]
}

/** Where revisions go before anyone may see them. The store has one write under way at a time. */
export interface Durability {
  load(): LoadedState
  /**
   * Resolves when the batch would survive a power cut, no earlier. Rejects with `NotWrittenError` when nothing of it was written and
   * reading is still right (no room); any other rejection means that nobody knows what is on disk.
   */
  write(batch: WriteBatch): Promise<void>
  /** Throws when what was written is known to be lost. At no cost worth mentioning. */
  checkHealth?(): void
  size(): Promise<number>
  close(): Promise<void>
}

/** There is no room for the batch, and the disk is as it was before. */
export class NotWrittenError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'NotWrittenError'
  }
}
