import type { BackendSnapshot, Change, KeyRange, Revision, WatchMessage } from './backend.ts'
import { SlowWatcherError } from './backend-errors.ts'

/** How far a reader may be behind before its watch is ended. */
export interface QueueLimits {
  readonly changes: number
  readonly bytes: number
}

export const defaultQueueLimits: QueueLimits = { changes: 100_000, bytes: 64 * 1024 * 1024 }

/** About so many changes go into one message, so that a reader's turn stays short. */
const messageChanges = 500

export interface WatchQueueOptions {
  readonly range: KeyRange
  /** The reader has what is not newer. */
  readonly after: Revision
  readonly limits: QueueLimits
  /** The reader has gone. */
  readonly signal: AbortSignal
  /** Is read to its end before anything that is pushed. */
  readonly earlier?: (queue: WatchQueue) => AsyncIterator<WatchMessage, undefined>
  /** What the range holds after a message. `newest`: nothing else waits, or waited when it was joined. */
  readonly stateAfter?: (revision: Revision, newest: boolean) => BackendSnapshot | undefined
  /** Called once. */
  readonly onEnd: (queue: WatchQueue) => void
}

interface Batch {
  revision: Revision
  /** Empty for progress. */
  readonly changes: readonly Change[]
  readonly bytes: number
  next: Batch | undefined
}

type Result = IteratorResult<WatchMessage, undefined>

const done: Result = { done: true, value: undefined }
const settled = Promise.resolve()

/**
 * What is on its way to one reader of a watch: pushed as it happens, read as an iterator. Nobody waits for the reader, so one that is too
 * slow is ended when its share of memory is used up.
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
  /** Somebody reads, and there was nothing. */
  #waiting: Promise<Result> | undefined
  #resolve: ((result: Result) => void) | undefined
  #reject: ((error: Error) => void) | undefined
  #waking = false

  constructor(options: WatchQueueOptions) {
    this.#options = options
    this.range = options.range
    this.#newest = options.after
    this.#earlier = options.earlier?.(this)
    if (options.signal.aborted) this.end(undefined)
    else options.signal.addEventListener('abort', this.#leave)
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Up to this the reader has been told, or will be by what waits. */
  get newest(): Revision {
    return this.#newest
  }

  /** A whole revision. */
  push(revision: Revision, changes: readonly Change[], bytes: number): void {
    if (this.#ended || revision <= this.#newest) return
    this.#changes += changes.length
    this.#bytes += bytes
    const { limits } = this.#options
    if (this.#changes > limits.changes || this.#bytes > limits.bytes) this.end(new SlowWatcherError())
    else this.#append({ revision, changes, bytes, next: undefined })
  }

  /** Behind all that was pushed. Of several in a row, the last says it all. */
  progress(revision: Revision): void {
    if (this.#ended || revision < this.#newest) return
    if (this.#last?.changes.length === 0) this.#newest = this.#last.revision = revision
    else this.#append({ revision, changes: [], bytes: 0, next: undefined })
  }

  /** What waits is dropped. With an error, the reader gets that next. */
  end(error: Error | undefined): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    this.#first = this.#last = undefined
    this.#options.signal.removeEventListener('abort', this.#leave)
    this.#options.onEnd(this)
    this.#deliver()
  }

  /** At most one message is under way to the reader; who asks for more gets them in order. */
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
    return error ? Promise.reject(error) : Promise.resolve(done)
  }

  #append(batch: Batch): void {
    this.#newest = batch.revision
    if (this.#last) this.#last.next = batch
    else this.#first = batch
    this.#last = batch
    // Not at once: what else happens in the same turn goes into the same message.
    if (!this.#resolve || this.#waking) return
    this.#waking = true
    void settled.then(this.#deliver)
  }

  /** To who waits. */
  readonly #deliver = (): void => {
    this.#waking = false
    const resolve = this.#resolve
    const reject = this.#reject
    if (!resolve || !reject) return
    this.#waiting = this.#resolve = this.#reject = undefined
    if (this.#first) resolve({ done: false, value: this.#take(this.#first) })
    else if (this.#error) reject(this.#error)
    else resolve(done)
    this.#error = undefined
  }

  #take(first: Batch): WatchMessage {
    let last = this.#count(first)
    let { changes } = first
    let joined: Change[] | undefined
    for (let { next } = first; next && changes.length > 0 && next.changes.length > 0; next = next.next) {
      if (changes.length + next.changes.length > messageChanges) break
      changes = joined ??= [...changes]
      for (const change of next.changes) joined.push(change)
      last = this.#count(next)
    }
    this.#first = last.next
    if (!last.next) this.#last = undefined
    const { revision } = last
    if (changes.length === 0) return { type: 'progress', revision }
    const state = this.#options.stateAfter?.(revision, last.next === undefined)
    return state ? { type: 'changes', changes, revision, state } : { type: 'changes', changes, revision }
  }

  /** Is no longer behind. */
  #count(batch: Batch): Batch {
    this.#changes -= batch.changes.length
    this.#bytes -= batch.bytes
    return batch
  }
}
