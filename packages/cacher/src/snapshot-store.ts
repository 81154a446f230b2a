import type { Revision } from '@keelson/storagebackend'

export interface Snapshot<S> {
  readonly revision: Revision
  readonly state: S
}

/** States by the revision that made them: asked for 7, with states of 5 and 9, the answer is that of 5. Reaches back as far as the event ring does. */
export class SnapshotStore<S> {
  #snapshots: Snapshot<S>[] = []
  /** Snapshots before this index are dropped; the array is cut only now and then, so dropping is O(1). */
  #first = 0

  get size(): number {
    return this.#snapshots.length - this.#first
  }

  /** Revisions must grow; the same one again replaces its state. */
  add(revision: Revision, state: S): void {
    const last = this.size === 0 ? undefined : this.#snapshots.at(-1)
    if (last !== undefined && last.revision === revision) this.#snapshots.pop()
    this.#snapshots.push({ revision, state })
  }

  /** The newest state that is not newer than `revision`, if it reaches that far back. */
  get(revision: Revision): Snapshot<S> | undefined {
    let low = this.#first
    let high = this.#snapshots.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#snapshots[middle]!.revision <= revision) low = middle + 1
      else high = middle
    }
    return low === this.#first ? undefined : this.#snapshots[low - 1]
  }

  /** Drops states that ended before `revision`; the one that holds at `revision` stays. */
  dropBefore(revision: Revision): void {
    while (this.size > 1 && this.#snapshots[this.#first + 1]!.revision <= revision) this.#first++
    if (this.#first > 64 && this.#first * 2 > this.#snapshots.length) {
      this.#snapshots = this.#snapshots.slice(this.#first)
      this.#first = 0
    }
  }

  clear(): void {
    this.#snapshots = []
    this.#first = 0
  }
}
