import { newInternal, newResourceExpired } from '@keelson/apimachinery'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { ObjectEvent, Revision, StoredObject } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'
import { yieldToOthers } from './yield-to-others.ts'
import type { EventRing } from './event-ring.ts'
import type { Selection } from './selection.ts'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'

export interface WatcherLimits {
  /** What may wait in one watcher's buffer. Beyond either, the watcher goes on from the ring. */
  readonly bufferedEvents: number
  readonly bufferedBytes: number
  /** About how much one batch of a watcher that is catching up holds. */
  readonly batchBytes: number
  /** How many objects or events are looked at before others get their turn. */
  readonly scanned: number
}

export const defaultWatcherLimits: WatcherLimits = { bufferedEvents: 1000, bufferedBytes: 8 << 20, batchBytes: 256 << 10, scanned: 500 }

export interface WatcherOptions<T extends KubeObject> {
  readonly selection: Selection<T>
  readonly ring: EventRing<CacheEvent<T>>
  readonly clock: Clock
  readonly limits: WatcherLimits
  /** Changes up to and with this revision are not shown. */
  readonly after: Revision
  /** Where in the ring to begin, once the initial state is through. */
  readonly position: number
  /** The state to begin with, as ADDED events. */
  readonly initial?: Iterator<StoredObject<T>> | undefined
  /** Closes the initial state with a bookmark of this revision. */
  readonly initialEventsEnd?: Revision | undefined
  readonly allowBookmarks: boolean
  /** When its owner will end it (ms since epoch). */
  readonly deadline?: number | undefined
  /** Told when the watcher has left the live path (it must be looked after) and when it is over. */
  readonly onBehind: () => void
  readonly onEnd: () => void
  readonly metrics?: ResourceCacheMetrics | undefined
}

type Batch<T extends KubeObject> = readonly ObjectEvent<T>[]

/**
 * One watch. It reads, in this order, from
 *
 *   initial state ──▶ ring (from a position) ──▶ its own buffer, filled by the dispatcher ("live")
 *                          ▲                               │
 *                          └──── buffer over its budget ───┘
 *
 * so a reader that falls behind costs a bounded buffer and then nothing: it catches up from the shared ring when it reads again,
 * and is Expired when the ring has moved on or its patience is over. Everything is moved at whole revisions only, and between
 * looking at the ring's end and becoming live there is no await: nothing is lost or seen twice.
 */
export class Watcher<T extends KubeObject = KubeObject> implements AsyncIterableIterator<Batch<T>> {
  readonly selection: Selection<T>
  readonly after: Revision
  readonly allowBookmarks: boolean
  readonly deadline: number | undefined
  readonly #options: WatcherOptions<T>
  #initial: Iterator<StoredObject<T>> | undefined
  #position: number
  #live = false
  #buffer: ObjectEvent<T>[] = []
  #bufferedBytes = 0
  #pulling = false
  #lastPull: number
  #wake: (() => void) | undefined
  #ended = false
  #error: unknown

  constructor(options: WatcherOptions<T>) {
    this.#options = options
    this.selection = options.selection
    this.after = options.after
    this.allowBookmarks = options.allowBookmarks
    this.deadline = options.deadline
    this.#initial = options.initial
    this.#position = options.position
    this.#lastPull = options.clock.now()
  }

  get live(): boolean {
    return this.#live
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Batch<T>>> {
    if (this.#pulling) throw new Error('a watch has one reader, which waits for each batch')
    this.#pulling = true
    try {
      for (;;) {
        const [batch, looked] = this.#take()
        if (batch.length > 0) return { done: false, value: batch }
        if (this.#ended) return this.#finish()
        if (!this.#live) {
          if (looked >= this.#options.limits.scanned) await yieldToOthers()
          continue
        }
        await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.#pulling = false
      this.#lastPull = this.#options.clock.now()
    }
  }

  return(): Promise<IteratorResult<Batch<T>>> {
    this.end(undefined)
    return Promise.resolve({ done: true, value: undefined })
  }

  /**
   * Takes the events of one revision, the first of which stands at `position` in the ring. True when its reader is to be woken
   * (by `wake`, after the whole batch).
   */
  push(events: readonly CacheEvent<T>[], position: number): boolean {
    if (!this.#live || this.#ended || events[0]!.revision <= this.after) return false
    const { bufferedEvents, bufferedBytes } = this.#options.limits
    if (this.#buffer.length >= bufferedEvents || this.#bufferedBytes >= bufferedBytes) {
      this.#live = false
      this.#position = position
      this.#options.onBehind()
      return false
    }
    const before = this.#buffer.length
    for (const event of events) this.#bufferedBytes += this.#show(event, this.#buffer)
    return this.#buffer.length > before
  }

  /** False when it cannot be sent now, because events that come before it are not yet through. */
  bookmark(revision: Revision): boolean {
    if (!this.#live || this.#ended) return false
    // A watch that nothing has happened to since it began has nothing new to remember.
    if (revision <= this.after) return true
    if (this.#buffer.at(-1)?.type === 'BOOKMARK') this.#buffer.pop()
    this.#buffer.push({ type: 'BOOKMARK', revision, initialEventsEnd: false })
    this.wake()
    return true
  }

  wake(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  /** Behind, and its reader has not come back for longer than `patience`. */
  isStalled(now: number, patience: number): boolean {
    return !this.#live && !this.#ended && !this.#pulling && now - this.#lastPull > patience
  }

  /** After what is buffered the reader gets the error, or the end when there is none. */
  end(error: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    this.#initial = undefined
    if (error === undefined) this.#drop()
    this.#options.onEnd()
    this.wake()
  }

  /** Ends a watcher whose reader is gone or asleep; what it has not read is let go. */
  giveUp(): void {
    this.#options.metrics?.terminated()
    this.#drop()
    this.end(newResourceExpired('the watch was ended because its events were not read in time'))
  }

  #drop(): void {
    this.#buffer = []
    this.#bufferedBytes = 0
  }

  #finish(): IteratorResult<Batch<T>> {
    const error = this.#error
    this.#error = undefined
    if (error !== undefined) throw error
    return { done: true, value: undefined }
  }

  /** What can be had now, and how much was looked at for it. */
  #take(): [batch: Batch<T>, looked: number] {
    if (this.#initial !== undefined) return this.#takeInitial(this.#initial)
    if (this.#buffer.length > 0) {
      const batch = this.#buffer
      this.#drop()
      return [batch, 0]
    }
    return this.#live || this.#ended ? [[], 0] : this.#takeFromRing()
  }

  #takeInitial(initial: Iterator<StoredObject<T>>): [Batch<T>, number] {
    const { batchBytes, scanned } = this.#options.limits
    const batch: ObjectEvent<T>[] = []
    let bytes = 0
    let looked = 0
    for (; bytes < batchBytes && looked < scanned; looked++) {
      const next = readNext(initial)
      if (next.done === true) {
        this.#initial = undefined
        const revision = this.#options.initialEventsEnd
        if (revision !== undefined) batch.push({ type: 'BOOKMARK', revision, initialEventsEnd: true })
        break
      }
      if (!this.selection.matches(next.value)) continue
      batch.push({ type: 'ADDED', object: next.value })
      bytes += next.value.body.length
    }
    this.#options.metrics?.initialEvents(batch.length)
    return [batch, looked]
  }

  #takeFromRing(): [Batch<T>, number] {
    const { ring, limits } = this.#options
    const batch: ObjectEvent<T>[] = []
    if (this.#position < ring.start) {
      this.#options.metrics?.terminated()
      this.end(newResourceExpired('too old resource version: the watch fell behind the history that is kept'))
      return [batch, 0]
    }
    let bytes = 0
    let looked = 0
    let revision: Revision | undefined
    for (; this.#position < ring.end; this.#position++, looked++) {
      const event = ring.at(this.#position)!
      if (event.revision !== revision && (looked >= limits.scanned || bytes >= limits.batchBytes)) return [batch, looked]
      revision = event.revision
      if (revision > this.after) bytes += this.#show(event, batch)
    }
    this.#live = true
    return [batch, looked]
  }

  /** Adds what the watcher sees of the event, if anything; says how many bytes that holds. */
  #show(event: CacheEvent<T>, to: ObjectEvent<T>[]): number {
    const before = event.previous !== undefined && this.selection.matches(event.previous)
    const now = event.object !== undefined && this.selection.matches(event.object)
    const seen = event.seenAs(before, now)
    if (seen === undefined || seen.type === 'BOOKMARK') return 0
    to.push(seen)
    return seen.object.body.length
  }
}

/** What goes wrong with a watch reaches its client as it is thrown here. */
function readNext<T extends KubeObject>(objects: Iterator<StoredObject<T>>): IteratorResult<StoredObject<T>> {
  try {
    return objects.next()
  } catch (error) {
    throw isStorageError(error) ? newInternal(error.message, { cause: error }) : error
  }
}
