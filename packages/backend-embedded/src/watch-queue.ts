import { SlowWatcherError, type Change, type KeyRange, type Revision, type WatchMessage } from '@keelson/storagebackend'

export interface QueueLimits {
  readonly changes: number
  readonly bytes: number
}

export const defaultQueue: QueueLimits = { changes: 100_000, bytes: 64 * 1024 * 1024 }

/** One message holds at most about so many changes, so that a reader's turn stays short. */
const messageChanges = 500

interface Batch {
  readonly revision: Revision
  /** Empty for progress. */
  readonly changes: readonly Change[]
  readonly bytes: number
}

/** What is on its way to one reader: filled as revisions are published, emptied as the reader pulls. */
export class WatchQueue {
  readonly range: KeyRange
  readonly #limits: QueueLimits
  #batches: Batch[] = []
  #head = 0
  #changes = 0
  #bytes = 0
  #end: { readonly error: Error | undefined } | undefined
  #wake: (() => void) | undefined
  /** The newest revision that was put in. */
  #newest: Revision

  constructor(range: KeyRange, after: Revision, limits: QueueLimits) {
    this.range = range
    this.#newest = after
    this.#limits = limits
  }

  get ended(): boolean {
    return this.#end !== undefined
  }

  push(revision: Revision, changes: readonly Change[], bytes: number): void {
    if (this.#end) return
    this.#changes += changes.length
    this.#bytes += bytes
    if (this.#changes > this.#limits.changes || this.#bytes > this.#limits.bytes) {
      this.end(new SlowWatcherError())
      return
    }
    this.#newest = revision
    this.#batches.push({ revision, changes, bytes })
    this.#notify()
  }

  /** Behind all that was pushed. `force`: even if the reader has been told of this revision. */
  progress(revision: Revision, force: boolean): void {
    if (this.#end || (!force && revision <= this.#newest)) return
    this.#newest = revision
    const last = this.#batches.at(-1)
    if (last && this.#batches.length > this.#head && last.changes.length === 0) this.#batches.pop()
    this.#batches.push({ revision, changes: [], bytes: 0 })
    this.#notify()
  }

  /** Without an error what is queued is dropped as well: the reader has gone. */
  end(error: Error | undefined): void {
    if (this.#end) return
    this.#end = { error }
    this.#batches = []
    this.#head = 0
    this.#notify()
  }

  /** The next message; undefined when there is none now. Throws the error that ended the queue. */
  take(): WatchMessage | undefined {
    if (this.#end?.error) throw this.#end.error
    const first = this.#batches[this.#head]
    if (!first) return undefined
    this.#forget(first)
    if (first.changes.length === 0) return { type: 'progress', revision: first.revision }
    let { changes, revision } = first
    for (let next = this.#batches[this.#head]; next && next.changes.length > 0; next = this.#batches[this.#head]) {
      if (changes.length + next.changes.length > messageChanges) break
      changes = changes === first.changes ? [...changes, ...next.changes] : append(changes, next.changes)
      revision = next.revision
      this.#forget(next)
    }
    return { type: 'changes', changes, revision }
  }

  /** Resolves when `take` may have something, or the queue has ended. */
  ready(): Promise<void> {
    if (this.#end || this.#head < this.#batches.length) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #forget(batch: Batch): void {
    this.#changes -= batch.changes.length
    this.#bytes -= batch.bytes
    if (++this.#head === this.#batches.length) {
      this.#batches = []
      this.#head = 0
    }
  }

  #notify(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}

function append(target: readonly Change[], more: readonly Change[]): readonly Change[] {
  const own = target as Change[]
  for (const change of more) own.push(change)
  return own
}
