import { SlowWatcherError, type Change, type Revision, type WatchMessage } from '@keelson/storagebackend'
import type { QueueLimits } from './etcd3-options.ts'

/** About so many changes go into one message, so that a reader's turn stays short. */
const messageChanges = 500

interface Batch {
  readonly revision: Revision
  /** Empty for progress. */
  readonly changes: readonly Change[]
  readonly bytes: number
}

/**
 * What etcd has sent and the reader has not taken yet. It is always read off the connection at once, since other watches and reads share
 * that; so a reader that is too slow is ended when its share of memory is used up.
 */
export class WatchQueue {
  readonly #limits: QueueLimits
  #batches: Batch[] = []
  #changes = 0
  #bytes = 0
  #end: { readonly error: Error | undefined } | undefined
  #wake: (() => void) | undefined

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get ended(): boolean {
    return this.#end !== undefined
  }

  /** Whole revisions, in order. */
  push(revision: Revision, changes: readonly Change[], bytes: number): void {
    if (this.#end) return
    this.#changes += changes.length
    this.#bytes += bytes
    if (this.#changes > this.#limits.changes || this.#bytes > this.#limits.bytes) {
      this.end(new SlowWatcherError())
      return
    }
    this.#batches.push({ revision, changes, bytes })
    this.#notify()
  }

  /** Behind all that was pushed. Of several in a row, the last says it all. */
  progress(revision: Revision): void {
    if (this.#end) return
    if (this.#batches.at(-1)?.changes.length === 0) this.#batches.pop()
    this.#batches.push({ revision, changes: [], bytes: 0 })
    this.#notify()
  }

  /** With an error, the reader gets that next. Without, it has gone. */
  end(error: Error | undefined): void {
    if (this.#end) return
    this.#end = { error }
    this.#batches = []
    this.#notify()
  }

  /** Undefined when there is nothing now. Throws the error that ended the queue. */
  take(): WatchMessage | undefined {
    if (this.#end?.error) throw this.#end.error
    const first = this.#batches[0]
    if (!first) return undefined
    if (first.changes.length === 0) {
      this.#batches.shift()
      return { type: 'progress', revision: first.revision }
    }
    const changes: Change[] = []
    let revision = first.revision
    let taken = 0
    for (const batch of this.#batches) {
      if (batch.changes.length === 0 || (taken > 0 && changes.length + batch.changes.length > messageChanges)) break
      for (const change of batch.changes) changes.push(change)
      revision = batch.revision
      this.#bytes -= batch.bytes
      taken++
    }
    this.#batches.splice(0, taken)
    this.#changes -= changes.length
    return { type: 'changes', changes, revision }
  }

  /** Resolves when `take` may have something, or the queue has ended. */
  ready(): Promise<void> {
    if (this.#end || this.#batches.length > 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #notify(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
