import { CompactedError, type Change, type Entry, type OrderedTree, type Revision, type TreeSnapshot } from '@keelson/storagebackend'

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

interface Checkpoint {
  readonly revision: Revision
  readonly tree: TreeSnapshot<Entry>
}

const checkpointEvery = 64
const maxRecent = 8
/** The limits are enforced in steps of so many records, which makes it cheap. */
const trimStep = 64
const overheadBytes = 200
/** The front of the log is cut off in pieces, for cutting moves the rest. */
const cutEvery = 4096

/**
 * The newest revisions, one record each, without a gap: record `i` is revision `first + i`. Every 64th keeps the tree as it was, so that
 * any past state is one of those and at most 63 records on top.
 *
 *     compacted ──┐ (the state right here can still be read)
 *                 v
 *     ... 100 | 101 102 103 ... 163 164 165 ... 230   <- current
 *          ^ checkpoint          ^ checkpoint
 */
export class History {
  readonly #limits: HistoryLimits
  #records: RevisionRecord[] = []
  /** Index of the first record that is still kept. */
  #head = 0
  #checkpoints: Checkpoint[]
  /** Past states made lately: the pages of one list read the same revision again and again. */
  readonly #recent: Checkpoint[] = []
  #bytes = 0
  #current: Revision
  #compacted: Revision

  constructor(limits: HistoryLimits, start: Revision, tree: TreeSnapshot<Entry>) {
    this.#limits = limits
    this.#current = this.#compacted = start
    this.#checkpoints = [{ revision: start, tree }]
  }

  get current(): Revision {
    return this.#current
  }
  /** Changes after it, and the state at it, can be read. */
  get compacted(): Revision {
    return this.#compacted
  }

  /** `tree` already has the changes. */
  append(time: number, changes: readonly Change[], tree: OrderedTree<Entry>): RevisionRecord {
    const revision = this.#current + 1
    let bytes = overheadBytes
    for (const change of changes) bytes += overheadBytes + (change.type === 'put' ? change.entry : change.previous)!.value.length
    const record = { revision, time, changes, bytes }
    this.#records.push(record)
    this.#bytes += bytes
    this.#current = revision
    if (revision % checkpointEvery === 0) this.#checkpoints.push({ revision, tree: tree.snapshot() })
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

  /** At most the current revision. */
  compact(revision: Revision): void {
    if (revision <= this.#compacted) return
    // Before old records go, the state at `revision` becomes a checkpoint: what is kept must be readable without them.
    const state = this.stateAt(revision)!
    let head = this.#head
    while (head < this.#records.length && this.#records[head]!.revision <= revision) this.#bytes -= this.#records[head++]!.bytes
    const kept = this.#checkpoints.findIndex((checkpoint) => checkpoint.revision > revision)
    this.#checkpoints.splice(0, kept < 0 ? this.#checkpoints.length : kept, { revision, tree: state })
    this.#compacted = revision
    this.#head = head
    if (head >= cutEvery || head === this.#records.length) {
      this.#records = this.#records.slice(head)
      this.#head = 0
    }
  }

  /** The record of a kept revision. */
  record(revision: Revision): RevisionRecord | undefined {
    return this.#records[this.#head + (revision - this.#compacted - 1)]
  }

  requireKept(after: Revision): void {
    if (after < this.#compacted) throw new CompactedError(after, this.#compacted)
  }

  /** The state at a past revision; undefined when it is no longer kept. */
  stateAt(revision: Revision): TreeSnapshot<Entry> | undefined {
    if (revision < this.#compacted || revision > this.#current) return undefined
    const recent = this.#recent.find((state) => state.revision === revision)
    if (recent) return recent.tree
    let low = 0
    let high = this.#checkpoints.length - 1
    while (low < high) {
      const mid = (low + high + 1) >> 1
      if (this.#checkpoints[mid]!.revision > revision) high = mid - 1
      else low = mid
    }
    const from = this.#checkpoints[low]!
    if (from.revision === revision) return from.tree
    const tree = from.tree.edit()
    for (let r = from.revision + 1; r <= revision; r++) {
      for (const change of this.#replay(r)) {
        if (change.type === 'put') tree.set(change.entry)
        else tree.delete(change.key)
      }
    }
    const state = tree.snapshot()
    this.#recent.push({ revision, tree: state })
    if (this.#recent.length > maxRecent) this.#recent.shift()
    return state
  }

  #replay(revision: Revision): readonly Change[] {
    return this.record(revision)!.changes
  }
}
