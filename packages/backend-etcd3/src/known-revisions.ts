import type { Revision } from '@keelson/storagebackend'

/** Highest revisions in responses so far. They may be older than the store's revision, but never newer. */
export class KnownRevisions {
  #current: Revision = 0
  #compacted: Revision = 0

  get current(): Revision {
    return this.#current
  }

  get compacted(): Revision {
    return this.#compacted
  }

  /** Records the revision in the header of a response. */
  saw(revision: Revision): Revision {
    if (revision > this.#current) this.#current = revision
    return revision
  }

  sawCompacted(revision: Revision): void {
    if (revision > this.#compacted) this.#compacted = revision
  }
}
