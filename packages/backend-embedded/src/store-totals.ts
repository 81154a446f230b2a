import type { Entry, LeaseId } from '@keelson/storagebackend'

/**
 * Counts and sums of all stored records, written with every batch. A record's checksum proves that its bytes are intact. The totals prove that no
 * record is missing or out of date, as after damage of a page number.
 */
export class StoreTotals {
  #entries = 0
  /** The sum of the entries' revisions, modulo 2^52. */
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
