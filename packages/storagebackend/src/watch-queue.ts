import type { BackendSnapshot, Change, KeyRange, Revision, WatchMessage } from './backend.ts'
import { SlowWatcherError } from './backend-errors.ts'

/** The bounds of a queue. If the queue exceeds one of them, the watch ends. */
export interface QueueLimits {
  readonly changes: number
  readonly bytes: number
}

export const defaultQueueLimits: QueueLimits = { changes: 100_000, bytes: 64 * 1024 * 1024 }

/** The approximate number of changes in one message. It is small, so that the reader's work in one turn stays short. */
const messageChanges = 500

/** The options of a `WatchQueue`. */
export interface WatchQueueOptions {
  readonly range: KeyRange
  /** The revision up to which the reader already has all changes. The queue skips changes up to this revision. */
  readonly after: Revision
  readonly limits: QueueLimits
  /** The signal that aborts when the reader stops. */
  readonly signal: AbortSignal
  /** Returns an iterator over earlier messages, for example from history. The queue returns all of them before the pushed changes. */
  readonly openEarlier?: (queue: WatchQueue) => AsyncIterator<WatchMessage, undefined>
  /** Returns the state of the range after a message. `newest` is true if the queue contains no later change. */
  readonly stateAfter?: (revision: Revision, newest: boolean) => BackendSnapshot | undefined
  /** Called once, when the queue ends. */
  readonly onEnd: (queue: WatchQueue) => void
}

interface Batch {
  revision: Revision
  /** The changes of the batch. A batch without changes is progress. */
  readonly changes: readonly Change[]
  readonly bytes: number
  next: Batch | undefined
}

type Result = IteratorResult<WatchMessage, undefined>

const endResult: Result = { done: true, value: undefined }
const settled = Promise.resolve()

/**
 * The buffer of one watch. The driver pushes changes without waiting, and the reader iterates over messages. If the buffer is full, the
 * watch ends.
 */
export class WatchQueue implements AsyncIterableIterator<WatchMessage, undefined> {
  readonly range: KeyRange
  readonly #options: WatchQueueOptions
  #earlier: AsyncIterator<WatchMessage, undefined> | undefined
  #first: Batch | undefined
  #last: Batch | undefined
  #changes = 0
  #bytes = 0
  #newest: Revision
  #ended = false
  #error: Error | undefined
  /** The promise of the read that waits for a message, if a reader waits. */
  #waiting: Promise<Result> | undefined
  #resolve: ((result: Result) => void) | undefined
  #reject: ((error: Error) => void) | undefined
  #waking = false

  constructor(options: WatchQueueOptions) {
    this.#options = options
    this.range = options.range
    this.#newest = options.after
    this.#earlier = options.openEarlier?.(this)
    if (options.signal.aborted) this.end(undefined)
    else options.signal.addEventListener('abort', this.#leave)
  }

  get ended(): boolean {
    return this.#ended
  }

  /** The revision of the last message, whether it was read already or not. */
  get newest(): Revision {
    return this.#newest
  }

  /** Appends all changes of one revision. */
  push(revision: Revision, changes: readonly Change[], bytes: number): void {
    if (this.#ended || revision <= this.#newest) return
    this.#changes += changes.length
    this.#bytes += bytes
    const { limits } = this.#options
    if (this.#changes > limits.changes || this.#bytes > limits.bytes) this.end(new SlowWatcherError())
    else this.#append({ revision, changes, bytes, next: undefined })
  }

  /** Appends progress after all pushed changes. If the last message is progress already, it is replaced. */
  progress(revision: Revision): void {
    if (this.#ended || revision < this.#newest) return
    if (this.#last?.changes.length === 0) this.#newest = this.#last.revision = revision
    else this.#append({ revision, changes: [], bytes: 0, next: undefined })
  }

  /** Ends the queue and drops unread messages. If `error` is set, the reader's next call throws it. */
  end(error: Error | undefined): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    this.#first = this.#last = undefined
    this.#options.signal.removeEventListener('abort', this.#leave)
    this.#options.onEnd(this)
    this.#deliver()
  }

  /** Returns the next message. Concurrent calls get messages in the order of the calls. */
  next(): Promise<Result> {
    if (this.#waiting) return this.#waiting.then(this.#readOn, this.#readOn)
    if (this.#ended) return this.#finish()
    if (this.#earlier) return this.#readEarlier(this.#earlier)
    if (this.#first) return Promise.resolve({ done: false, value: this.#take(this.#first) })
    return (this.#waiting = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    }))
  }

  return(): Promise<Result> {
    this.#leave()
    return this.#finish()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  readonly #readOn = (): Promise<Result> => this.next()

  readonly #leave = (): void => {
    this.end(undefined)
    this.#error = undefined
  }

  async #readEarlier(earlier: AsyncIterator<WatchMessage, undefined>): Promise<Result> {
    try {
      const result = await earlier.next()
      if (!result.done && !this.#ended) return result
      this.#earlier = undefined
    } catch (error) {
      this.end(error as Error)
    }
    return this.next()
  }

  #finish(): Promise<Result> {
    const error = this.#error
    this.#error = undefined
    return error ? Promise.reject(error) : Promise.resolve(endResult)
  }

  #append(batch: Batch): void {
    this.#newest = batch.revision
    if (this.#last) this.#last.next = batch
    else this.#first = batch
    this.#last = batch
    // Wake the reader later in this turn, so that all changes of the turn are in one message.
    if (!this.#resolve || this.#waking) return
    this.#waking = true
    void settled.then(this.#deliver)
  }

  /** Resolves the promise of the waiting read. */
  readonly #deliver = (): void => {
    this.#waking = false
    const resolve = this.#resolve
    const reject = this.#reject
    if (!resolve || !reject) return
    this.#waiting = this.#resolve = this.#reject = undefined
    if (this.#first) resolve({ done: false, value: this.#take(this.#first) })
    else if (this.#error) reject(this.#error)
    else resolve(endResult)
    this.#error = undefined
  }

  #take(first: Batch): WatchMessage {
    let last = this.#uncount(first)
    let { changes } = first
    let joined: Change[] | undefined
    for (let { next } = first; next && changes.length > 0 && next.changes.length > 0; next = next.next) {
      if (changes.length + next.changes.length > messageChanges) break
      changes = joined ??= [...changes]
      for (const change of next.changes) joined.push(change)
      last = this.#uncount(next)
    }
    this.#first = last.next
    if (!last.next) this.#last = undefined
    const { revision } = last
    if (changes.length === 0) return { type: 'progress', revision }
    const state = this.#options.stateAfter?.(revision, last.next === undefined)
    return state ? { type: 'changes', changes, revision, state } : { type: 'changes', changes, revision }
  }

  /** Subtracts a removed batch from the numbers of buffered changes and bytes. Returns the batch. */
  #uncount(batch: Batch): Batch {
    this.#changes -= batch.changes.length
    this.#bytes -= batch.bytes
    return batch
  }
}
