import type { Revision } from '@keelson/storagebackend'

/** The highest current revision and compacted revision in etcd's responses so far. The real revisions of the store may be newer, but never older. */
export class KnownRevisions {
  #current: Revision = 0
  #compacted: Revision = 0

  get current(): Revision {
    return this.#current
  }

  get compacted(): Revision {
    return this.#compacted
  }

  /** Records the current revision in the header of a response, and returns it. */
  recordRevision(revision: Revision): Revision {
    if (revision > this.#current) this.#current = revision
    return revision
  }

  recordCompacted(revision: Revision): void {
    if (revision > this.#compacted) this.#compacted = revision
  }
}
