import type { Revision } from '@keelson/storagebackend'

/** What has been heard of the store so far. Only ever behind the truth. */
export class KnownRevisions {
  #current: Revision = 0
  #compacted: Revision = 0

  get current(): Revision {
    return this.#current
  }

  get compacted(): Revision {
    return this.#compacted
  }

  /** A revision that an answer's header named. */
  saw(revision: Revision): Revision {
    if (revision > this.#current) this.#current = revision
    return revision
  }

  sawCompacted(revision: Revision): void {
    if (revision > this.#compacted) this.#compacted = revision
  }
}
