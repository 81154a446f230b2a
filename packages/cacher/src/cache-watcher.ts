import type { Clock, KubeObject } from '@keelson/apimachinery'
import { newTooOldError } from '@keelson/storagebackend'
import type { ObjectEvent, Revision, StoredObject } from '@keelson/storagebackend'
import type { CacheEvent, Selection } from './cache-event.ts'
import type { ObjectChange } from './cache-state.ts'
import { catchUpBudget } from './turn-budget.ts'
import type { TurnBudget } from './turn-budget.ts'
import type { EventRing } from './event-ring.ts'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'

export interface WatcherLimits {
  /** The bounds of one watcher's buffer. A watcher that exceeds one of them continues from the ring. */
  readonly bufferedEvents: number
  readonly bufferedBytes: number
  /** The approximate size of one batch, in bytes, for a watcher that reads from the ring. */
  readonly batchBytes: number
  /** The number of objects or events that one watcher tests before it lets other work run. */
  readonly examined: number
}

export const defaultWatcherLimits: WatcherLimits = { bufferedEvents: 1000, bufferedBytes: 8 << 20, batchBytes: 256 << 10, examined: 500 }

/** The trigger field and the value that a watcher requires for it. */
export interface Trigger {
  readonly field: string
  readonly value: string
}

export interface CacheWatcherOptions<T extends KubeObject> {
  readonly selection: Selection<T>
  /** The trigger field and its required value. Set only if the selection has no other requirement. */
  readonly trigger?: Trigger | undefined
  readonly ring: EventRing<CacheEvent<T>>
  readonly clock: Clock
  readonly limits: WatcherLimits
  /** The revision after which the watcher gets changes. */
  readonly after: Revision
  /** The position in the ring from which the watcher continues after the initial state. */
  readonly position: number
  /** The initial state, whose objects are sent as ADDED events. The iterator returns undefined for objects that do not match. */
  readonly initial?: Iterator<StoredObject<T> | undefined> | undefined
  /** The revision of the bookmark that ends the initial state. Undefined: no bookmark is sent. */
  readonly initialEventsEnd?: Revision | undefined
  readonly allowBookmarks: boolean
  /** Called when the reader has got the initial state, and the changes before it became live. */
  readonly onInitialized?: (() => void) | undefined
  /** The time when the server ends the watch, in milliseconds since the epoch. */
  readonly deadline?: number | undefined
  /** Called when the watcher falls behind. Its owner then starts to check whether the reader has stalled. */
  readonly onBehind: () => void
  readonly onEnd: () => void
  readonly metrics?: ResourceCacheMetrics | undefined
  /** The time budget for reading from the ring. Default: one budget that all watchers share. */
  readonly budget?: TurnBudget
}

type Batch<T extends KubeObject> = readonly ObjectEvent<T>[]

/** The consumer of a watcher, which the watcher wakes when events are available. */
export interface WatcherReader {
  wake(): void
}

/**
 * One client's watch on the cache. It gets its events from three sources, one after the other:
 *
 *   initial state ──▶ ring (from a position) ──▶ its own buffer, filled by the dispatcher ("live")
 *                          ▲                               │
 *                          └──── buffer over its budget ───┘
 *
 * A slow reader uses only the memory of a bounded buffer. When it reads again, it continues from the shared ring. Its watch ends with
 * `ResourceVersionTooOld` if the ring has dropped its next event, or if it has not read for `stalledAfter`. A watcher changes its source only
 * between two revisions. There is no `await` between reading the last event of the ring and becoming live, so no event is lost or repeated.
 *
 * The reader calls `take` until `take` returns undefined, and then calls `wait`. It is woken when events are available or the watch has ended.
 */
export class CacheWatcher<T extends KubeObject = KubeObject> {
  // Fields that are used for every event come first. With thousands of watchers, the fields are not in the processor's cache, and adjacent
  // fields are loaded together.
  readonly after: Revision
  #isLive = false
  #hasEnded = false
  /** The buffered events. Undefined if there are none, which saves memory because most of thousands of watchers have none. */
  #buffer: ObjectEvent<T>[] | undefined
  #bufferedBytes = 0
  /** The reader to wake, if a reader waits. */
  #reader: WatcherReader | undefined
  readonly #triggerField: string | undefined
  readonly #triggerValue: string | undefined
  readonly selection: Selection<T>
  readonly allowBookmarks: boolean
  readonly deadline: number | undefined
  readonly #options: CacheWatcherOptions<T>
  readonly #limits: WatcherLimits
  readonly #budget: TurnBudget
  readonly #clock: Clock
  #initial: Iterator<StoredObject<T> | undefined> | undefined
  #position: number
  /** True while the watcher waits for the time budget. */
  #isPaused = false
  #isInitialized = false
  /** The time of the last `take`, or the time when the watcher fell behind. Used only for a watcher that is not live. */
  #lastTaken: number
  #error: unknown

  constructor(options: CacheWatcherOptions<T>) {
    this.#options = options
    this.#limits = options.limits
    this.#budget = options.budget ?? catchUpBudget
    this.#clock = options.clock
    this.selection = options.selection
    this.#triggerField = options.trigger?.field
    this.#triggerValue = options.trigger?.value
    this.after = options.after
    this.allowBookmarks = options.allowBookmarks
    this.deadline = options.deadline
    this.#initial = options.initial
    this.#position = options.position
    this.#lastTaken = this.#clock.now()
  }

  get isLive(): boolean {
    return this.#isLive
  }

  /** True after the watcher has ended. Buffered events can still be taken. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get isWaiting(): boolean {
    return this.#reader !== undefined
  }

  /** Returns the next batch, or undefined if no event is available now. */
  take(): Batch<T> | undefined {
    if (this.#initial !== undefined || !this.#isLive) return this.#catchUp()
    return this.#buffer === undefined ? undefined : this.#takeBuffer(this.#buffer)
  }

  /**
   * Registers the reader to be woken once, when `take` has a batch or the watcher has ended. Call it in the same turn of the event loop in
   * which `take` returned undefined.
   */
  wait(reader: WatcherReader): void {
    this.#reader = reader
  }

  /** Returns the error that ended the watcher, and forgets it. Returns undefined if the owner ended the watcher. */
  takeError(): unknown {
    const error = this.#error
    this.#error = undefined
    return error
  }

  /**
   * Adds the events of one revision. `position` is the position of the first event in the ring. Returns true if the reader must be woken
   * after the whole batch.
   */
  push(events: readonly CacheEvent<T>[], position: number): boolean {
    if (!this.#isLive || this.#hasEnded || events[0]!.revision <= this.after) return false
    if (this.#buffer !== undefined && this.#isFull(this.#buffer)) {
      this.#isLive = false
      this.#position = position
      this.#lastTaken = this.#clock.now()
      this.#options.onBehind()
      return false
    }
    let hasEvents = false
    for (const event of events) {
      const visible = this.#eventFor(event)
      if (visible === undefined) continue
      hasEvents = true
      this.#append(visible)
      this.#bufferedBytes += visible.object.body.length
    }
    return hasEvents
  }

  /** Sends a bookmark. Returns false if the reader must take earlier events first. */
  sendBookmark(revision: Revision): boolean {
    if (!this.#isLive || this.#hasEnded) return false
    // The watch started at this revision, so the client needs no bookmark for it.
    if (revision <= this.after) return true
    if (this.#buffer?.at(-1)?.type === 'BOOKMARK') this.#buffer.pop()
    this.#append({ type: 'BOOKMARK', revision, initialEventsEnd: false })
    this.wake()
    return true
  }

  /** Wakes the reader, if one waits. */
  wake(): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.wake()
  }

  /** Returns true if the watcher is behind, and its reader has not called `take` for longer than `stalledAfter`. */
  isStalled(now: number, stalledAfter: number): boolean {
    return !this.#isLive && !this.#hasEnded && !this.isWaiting && now - this.#lastTaken > stalledAfter
  }

  /**
   * Ends the watcher. With an error, the reader gets the buffered events and then the error. Without an error, the reader gets no more
   * events.
   */
  end(error: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#error = error
    this.#initial = undefined
    if (error === undefined) this.#drop()
    this.#options.onEnd()
    this.wake()
  }

  /** Ends a watcher whose reader has stalled, and drops its buffered events. */
  terminate(): void {
    this.#options.metrics?.countTermination()
    this.#drop()
    this.end(newTooOldError(this.selection.key, 'the watch ended because its events were not read in time'))
  }

  #isFull(buffer: Batch<T>): boolean {
    const { bufferedEvents, bufferedBytes } = this.#limits
    return buffer.length >= bufferedEvents || this.#bufferedBytes >= bufferedBytes
  }

  #append(event: ObjectEvent<T>): void {
    if (this.#buffer === undefined) this.#buffer = [event]
    else this.#buffer.push(event)
  }

  #drop(): void {
    this.#buffer = undefined
    this.#bufferedBytes = 0
  }

  #takeBuffer(batch: Batch<T>): Batch<T> {
    this.#drop()
    return batch
  }

  /** Returns the next batch of a watcher that reads from the initial state or the ring. */
  #catchUp(): Batch<T> | undefined {
    this.#lastTaken = this.#clock.now()
    while (this.#initial !== undefined || !this.#isLive) {
      // Events that were buffered before the watcher fell behind come first, even if the watcher has ended.
      if (this.#initial === undefined && this.#buffer !== undefined) return this.#takeBuffer(this.#buffer)
      if (this.#hasEnded || this.#isPaused) return undefined
      if (this.#initial !== undefined && this.#budget.isSpent) {
        this.#pause()
        return undefined
      }
      const [batch, examined] = this.#initial === undefined ? this.#takeFromRing() : this.#takeInitial(this.#initial)
      if (batch.length > 0) return batch
      if (examined >= this.#limits.examined) this.#pause()
    }
    return undefined
  }

  #pause(): void {
    this.#isPaused = true
    this.#budget.wait(() => {
      this.#isPaused = false
      this.wake()
    })
  }

  #takeInitial(initial: Iterator<StoredObject<T> | undefined>): [Batch<T>, number] {
    const { batchBytes, examined } = this.#limits
    const batch: ObjectEvent<T>[] = []
    let bytes = 0
    let tested = 0
    for (; bytes < batchBytes && tested < examined; tested++) {
      let next
      try {
        next = initial.next()
      } catch (error) {
        // The iterator failed at an unreadable object. The reader still gets the objects before it.
        this.end(error)
        break
      }
      if (next.done === true) {
        this.#initial = undefined
        const revision = this.#options.initialEventsEnd
        if (revision !== undefined) batch.push({ type: 'BOOKMARK', revision, initialEventsEnd: true })
        break
      }
      if (next.value === undefined) continue
      batch.push({ type: 'ADDED', object: next.value })
      bytes += next.value.body.length
    }
    this.#options.metrics?.countInitialEvents(batch.length)
    return [batch, tested]
  }

  #takeFromRing(): [Batch<T>, number] {
    const { ring } = this.#options
    const limits = this.#limits
    const batch: ObjectEvent<T>[] = []
    if (this.#position < ring.start) {
      this.#options.metrics?.countTermination()
      this.end(newTooOldError(this.selection.key, 'too old resource version: the watch fell behind the available history'))
      return [batch, 0]
    }
    let bytes = 0
    let examined = 0
    let revision: Revision | undefined
    for (; this.#position < ring.end; this.#position++, examined++) {
      const event = ring.at(this.#position)!
      if (event.revision !== revision && (examined >= limits.examined || bytes >= limits.batchBytes)) return [batch, examined]
      revision = event.revision
      const visible = revision > this.after ? this.#eventFor(event) : undefined
      if (visible === undefined) continue
      batch.push(visible)
      bytes += visible.object.body.length
    }
    this.#isLive = true
    this.#reportInitialized()
    return [batch, examined]
  }

  #reportInitialized(): void {
    if (this.#isInitialized) return
    this.#isInitialized = true
    this.#options.onInitialized?.()
  }

  /** Returns the event to send for a change, or undefined if the change does not concern the selection. */
  #eventFor(event: CacheEvent<T>): ObjectChange<T> | undefined {
    const { previous, object } = event
    return event.seenAs(previous !== undefined && this.#matches(previous), object !== undefined && this.#matches(object))
  }

  #matches(object: StoredObject<T>): boolean {
    return this.#triggerField === undefined ? this.selection.matches(object) : object.field(this.#triggerField) === this.#triggerValue
  }
}
