import { CompactedError, VersionedTree, prefixEnd } from '@keelson/storagebackend'
import type { Change, Entry, OrderedTree, Revision, TreeSnapshot, BackendSnapshot } from '@keelson/storagebackend'

export interface HistoryLimits {
  readonly milliseconds: number
  readonly revisions: number
  readonly bytes: number
}

export const defaultHistory: HistoryLimits = { milliseconds: 5 * 60_000, revisions: 200_000, bytes: 256 * 1024 * 1024 }

/** All changes of one revision. */
export interface RevisionRecord {
  readonly revision: Revision
  readonly time: number
  readonly changes: readonly Change[]
  readonly bytes: number
}

/** Limits are enforced after this number of records, because that is cheaper than after each one. */
const trimStep = 64
/** The approximate size of a record, and of each change in it, without the value. */
const overheadBytes = 200
/** The number of dropped records after which the array is shortened, because shortening moves the rest. */
const cutEvery = 4096

/**
 * The changes of the newest revisions, one record each, without a gap. Record `i` is revision `compacted + 1 + i`. Any state since `compacted` can be
 * read, and any watch can start there.
 *
 *     compacted   records
 *        100    | 101 102 103 ... 230   <- current
 */
export class History {
  readonly #limits: HistoryLimits
  readonly #tree: VersionedTree<Entry>
  #records: RevisionRecord[] = []
  /** The index of the first record that is not dropped. */
  #head = 0
  #bytes = 0
  #current: Revision
  #compacted: Revision

  /** `tree` is the state at `start`. The owner applies the changes of each revision to it before `append`. */
  constructor(limits: HistoryLimits, start: Revision, tree: OrderedTree<Entry>) {
    this.#limits = limits
    this.#current = this.#compacted = start
    this.#tree = new VersionedTree(tree, start)
  }

  get current(): Revision {
    return this.#current
  }
  /** The oldest revision whose state and later changes can be read. */
  get compacted(): Revision {
    return this.#compacted
  }

  /** Appends a revision whose changes were already applied to the tree. */
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

  /** Enforces the limits. */
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

  /** Drops the history before `revision`, which must not exceed the current revision. */
  compact(revision: Revision): void {
    if (revision <= this.#compacted) return
    // Do this before dropping records, because the remaining states must not depend on them.
    this.#tree.startAt(revision, this.#replay)
    let head = this.#head
    while (head < this.#records.length && this.#records[head]!.revision <= revision) this.#bytes -= this.#records[head++]!.bytes
    this.#compacted = revision
    this.#head = head
    if (head >= cutEvery || head === this.#records.length) {
      this.#records = this.#records.slice(head)
      this.#head = 0
    }
  }

  /** Returns the record of a revision that is not dropped. */
  record(revision: Revision): RevisionRecord | undefined {
    return this.#records[this.#head + (revision - this.#compacted - 1)]
  }

  requireKept(after: Revision): void {
    if (after < this.#compacted) throw new CompactedError(after, this.#compacted)
  }

  /** Returns the state at a past revision, or undefined if it has been dropped. */
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

/** Wraps a state as a `BackendSnapshot`. */
export function snapshotOf(revision: Revision, state: TreeSnapshot<Entry>): BackendSnapshot {
  return {
    revision,
    get: (key) => state.get(key),
    scan: (range) => state.scan(range),
    count: (range) => state.count(range),
    within: (prefix) => snapshotOf(revision, state.within({ start: prefix, end: prefixEnd(prefix) })),
  }
}
