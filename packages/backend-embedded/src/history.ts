import { CompactedError, VersionedTree, computePrefixEnd } from '@keelson/storagebackend'
import type { Change, Entry, OrderedTree, Revision, TreeSnapshot, BackendSnapshot } from '@keelson/storagebackend'

export interface HistoryLimits {
  readonly milliseconds: number
  readonly revisions: number
  readonly bytes: number
}

export const defaultHistory: HistoryLimits = { milliseconds: 5 * 60_000, revisions: 200_000, bytes: 256 * 1024 * 1024 }

/** One revision in the history, with all its changes. */
export interface RevisionRecord {
  readonly revision: Revision
  readonly time: number
  readonly changes: readonly Change[]
  readonly bytes: number
}

/** The number of appended records after which the limits are enforced. Enforcing them after each record would take more time. */
const trimStep = 64
/** The approximate size of a record, and of each change in a record, in bytes. Values are counted separately. */
const overheadBytes = 200
/** The number of dropped records after which the array is shortened. Shortening moves all other records, so it is done rarely. */
const cutEvery = 4096

/** Replaces dropped records until the array is shortened, so that their values are freed at once. */
const dropped: RevisionRecord = { revision: 0, time: 0, changes: [], bytes: 0 }

/**
 * The changes of the newest revisions, with one record for each revision. Record `i` has the changes of revision `compacted + 1 + i`. The
 * state at every revision since `compacted` can be read, and a watch can start from every such revision.
 *
 *     compacted   records
 *        100    | 101 102 103 ... 230   <- current
 */
export class History {
  readonly #limits: HistoryLimits
  readonly #tree: VersionedTree<Entry>
  #records: RevisionRecord[] = []
  /** The index of the oldest record that has not been dropped. */
  #head = 0
  #bytes = 0
  #current: Revision
  #compacted: Revision

  /**
   * Creates a history that starts at the revision `start`. `tree` is the state at that revision. The owner applies the changes of each
   * revision to the tree before it calls `append`.
   */
  constructor(limits: HistoryLimits, start: Revision, tree: OrderedTree<Entry>) {
    this.#limits = limits
    this.#current = this.#compacted = start
    this.#tree = new VersionedTree(tree, start)
  }

  get current(): Revision {
    return this.#current
  }
  /** The oldest revision at which the state can be read, and from which a watch can start. */
  get compacted(): Revision {
    return this.#compacted
  }

  /** Appends a revision whose changes have been applied to the tree. */
  append(time: number, changes: readonly Change[]): RevisionRecord {
    const revision = this.#current + 1
    let bytes = overheadBytes
    for (const change of changes) bytes += overheadBytes + (change.type === 'put' ? change.entry : change.previous)!.value.length
    const record = { revision, time, changes, bytes }
    this.#records.push(record)
    this.#bytes += bytes
    this.#current = revision
    this.#tree.endRevision(revision, changes.length)
    this.trim(time)
    return record
  }

  /** Drops records that exceed the limits. */
  trim(now: number): void {
    const oldest = now - this.#limits.milliseconds
    const records = this.#records
    let head = this.#head
    let bytes = this.#bytes
    while (head < records.length) {
      const record = records[head]!
      if (records.length - head <= this.#limits.revisions && bytes <= this.#limits.bytes && record.time >= oldest) break
      bytes -= record.bytes
      head++
    }
    if (head - this.#head >= trimStep || (head > this.#head && head === records.length)) this.compact(records[head - 1]!.revision)
  }

  /** Drops the history before `revision`, which must not be greater than the current revision. */
  compact(revision: Revision): void {
    if (revision <= this.#compacted) return
    // This comes before dropping records, because the states after `revision` must not depend on dropped records.
    this.#tree.startAt(revision, this.#replay)
    let head = this.#head
    while (head < this.#records.length && this.#records[head]!.revision <= revision) {
      this.#bytes -= this.#records[head]!.bytes
      this.#records[head++] = dropped
    }
    this.#compacted = revision
    this.#head = head
    if (head >= cutEvery || head === this.#records.length) {
      this.#records = this.#records.slice(head)
      this.#head = 0
    }
  }

  /** Returns the record of a revision. Returns undefined if the record was dropped or does not exist. */
  record(revision: Revision): RevisionRecord | undefined {
    return this.#records[this.#head + (revision - this.#compacted - 1)]
  }

  requireKept(after: Revision): void {
    if (after < this.#compacted) throw new CompactedError(after, this.#compacted)
  }

  /** Returns the state at a past revision. Returns undefined if the state has been dropped. */
  stateAt(revision: Revision): TreeSnapshot<Entry> | undefined {
    return revision < this.#compacted || revision > this.#current ? undefined : this.#tree.at(revision, this.#replay)
  }

  readonly #replay = (tree: OrderedTree<Entry>, after: Revision, until: Revision): boolean => {
    for (let revision = after + 1; revision <= until; revision++) {
      for (const change of this.record(revision)!.changes) {
        if (change.type === 'put') tree.set(change.entry)
        else tree.delete(change.key)
      }
    }
    return true
  }
}

/** Creates a `BackendSnapshot` from a state. */
export function createSnapshot(revision: Revision, state: TreeSnapshot<Entry>): BackendSnapshot {
  return {
    revision,
    get: (key) => state.get(key),
    scan: (range) => state.scan(range),
    count: (range) => state.count(range),
    restrictTo: (prefix) => createSnapshot(revision, state.within({ start: prefix, end: computePrefixEnd(prefix) })),
  }
}
