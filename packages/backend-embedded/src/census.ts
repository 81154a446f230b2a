import type { Entry, LeaseId } from '@keelson/storagebackend'

/**
 * Counts and sums of all that is stored, written with every batch. Each record's checksum says that it is what was once written; this says
 * that none is missing and none is older than it should be, which is what a damaged page number brings about.
 */
export class Census {
  #entries = 0
  /** Of the entries' revisions, modulo 2^52. */
  #revisions = 0
  readonly #leases = new Set<LeaseId>()

  add(entry: Entry): void {
    this.#entries++
    this.#revisions = (this.#revisions + entry.modRevision) % 2 ** 52
  }
  remove(entry: Entry): void {
    this.#entries--
    this.#revisions = (this.#revisions - entry.modRevision + 2 ** 52) % 2 ** 52
  }
  addLease(id: LeaseId): void {
    this.#leases.add(id)
  }
  removeLease(id: LeaseId): void {
    this.#leases.delete(id)
  }

  get numbers(): readonly number[] {
    let leases = 0
    for (const id of this.#leases) leases += id
    return [this.#entries, this.#revisions, this.#leases.size, leases]
  }
}
