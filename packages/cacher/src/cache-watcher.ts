import type { Clock, KubeObject } from '@keelson/apimachinery'
import { tooOld } from '@keelson/storagebackend'
import type { ObjectEvent, Revision, StoredObject } from '@keelson/storagebackend'
import type { CacheEvent, Selection } from './cache-event.ts'
import type { ObjectChange } from './cache-state.ts'
import { catchUpBudget } from './turn-budget.ts'
import type { TurnBudget } from './turn-budget.ts'
import type { EventRing } from './event-ring.ts'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'

export interface WatcherLimits {
  /** The bounds of one watcher's buffer. Beyond one of them the watcher continues from the ring. */
  readonly bufferedEvents: number
  readonly bufferedBytes: number
  /** The approximate size of one batch for a watcher that is catching up. */
  readonly batchBytes: number
  /** The number of objects or events that one watcher examines before it lets other work run. */
  readonly examined: number
}

export const defaultWatcherLimits: WatcherLimits = { bufferedEvents: 1000, bufferedBytes: 8 << 20, batchBytes: 256 << 10, examined: 500 }

/** The value of the trigger field that a watcher requires. */
export interface Trigger {
  readonly field: string
  readonly value: string
}

export interface CacheWatcherOptions<T extends KubeObject> {
  readonly selection: Selection<T>
  /** The required value of the trigger field. Only set if the selection has no other requirement. */
  readonly trigger?: Trigger | undefined
  readonly ring: EventRing<CacheEvent<T>>
  readonly clock: Clock
  readonly limits: WatcherLimits
  /** The watcher gets only changes after this revision. */
  readonly after: Revision
  /** The position in the ring from which the watcher continues after the initial state. */
  readonly position: number
  /** The initial state, which is sent as ADDED events. Undefined values are objects that do not match. */
  readonly initial?: Iterator<StoredObject<T> | undefined> | undefined
  /** The revision of the bookmark that ends the initial state. Undefined: no bookmark. */
  readonly initialEventsEnd?: Revision | undefined
  readonly allowBookmarks: boolean
  /** The time when the server ends the watch, in milliseconds since the epoch. */
  readonly deadline?: number | undefined
  /** Called when the watcher falls behind, so that stalled readers are detected. */
  readonly onBehind: () => void
  readonly onEnd: () => void
  readonly metrics?: ResourceCacheMetrics | undefined
  /** The time budget for catching up. Default: one for all watchers. */
  readonly budget?: TurnBudget
}

type Batch<T extends KubeObject> = readonly ObjectEvent<T>[]

/** The reader of a watcher. */
export interface WatcherReader {
  wake(): void
}

/**
 * One watch of the cache. It gets events from these sources, in this order:
 *
 *   initial state ──▶ ring (from a position) ──▶ its own buffer, filled by the dispatcher ("live")
 *                          ▲                               │
 *                          └──── buffer over its budget ───┘
 *
 * A reader that falls behind costs a bounded buffer and nothing more: it continues from the shared ring when it reads again. Its watch ends with
 * `ResourceVersionTooOld` when the ring has dropped its position, or when it has not read for `stalledAfter`. The watcher changes its source only
 * between two revisions. There is no await between reading the ring's end and becoming live, so no event is lost or repeated.
 *
 * The reader calls `take` until it returns undefined, then `wait`. It is woken when there are events, or at the end.
 */
export class CacheWatcher<T extends KubeObject = KubeObject> {
  // Fields that every event reads come first, because the memory of thousands of watchers is not in the processor's cache.
  readonly after: Revision
  #isLive = false
  #hasEnded = false
  /** The buffer. Undefined when empty, like nearly all buffers of thousands of watchers. */
  #buffer: ObjectEvent<T>[] | undefined
  #bufferedBytes = 0
  /** The waiting reader. */
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
  /** True while it waits for the turn budget. */
  #isPaused = false
  /** For a watcher that is not live: the time of the last `take`, or the time when it fell behind. */
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

  /** True after the watcher has ended. Earlier events may still be taken. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get isWaiting(): boolean {
    return this.#reader !== undefined
  }

  /** Returns the next batch, or undefined if there is none yet. */
  take(): Batch<T> | undefined {
    if (this.#initial !== undefined || !this.#isLive) return this.#catchUp()
    return this.#buffer === undefined ? undefined : this.#takeBuffer(this.#buffer)
  }

  /** Wakes the reader once, when `take` has a batch or the watcher has ended. Call it in the turn in which `take` returned undefined. */
  wait(reader: WatcherReader): void {
    this.#reader = reader
  }

  /** Returns the error that ended the watcher, once. Undefined if its owner ended it. */
  takeError(): unknown {
    const error = this.#error
    this.#error = undefined
    return error
  }

  /**
   * Adds the events of one revision. `position` is that of the first event in the ring. Returns true if the reader must be woken after the whole
   * batch.
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

  /** Sends a bookmark. Returns false if earlier events must be taken first. */
  sendBookmark(revision: Revision): boolean {
    if (!this.#isLive || this.#hasEnded) return false
    // The watch started at this revision, so the client knows it.
    if (revision <= this.after) return true
    if (this.#buffer?.at(-1)?.type === 'BOOKMARK') this.#buffer.pop()
    this.#append({ type: 'BOOKMARK', revision, initialEventsEnd: false })
    this.wake()
    return true
  }

  /** Wakes the reader if it waits. */
  wake(): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.wake()
  }

  /** Returns true if the watcher is behind and its reader has not called `take` for longer than `stalledAfter`. */
  isStalled(now: number, stalledAfter: number): boolean {
    return !this.#isLive && !this.#hasEnded && !this.isWaiting && now - this.#lastTaken > stalledAfter
  }

  /** Ends the watcher. The reader gets the buffered events and then the error. Without an error it gets the end at once. */
  end(error: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#error = error
    this.#initial = undefined
    if (error === undefined) this.#drop()
    this.#options.onEnd()
    this.wake()
  }

  /** Ends a watcher whose reader has stalled, and drops its events. */
  terminate(): void {
    this.#options.metrics?.terminated()
    this.#drop()
    this.end(tooOld(this.selection.key, 'the watch ended because its events were not read in time'))
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

  /** Returns the next batch of a watcher that is not live yet. */
  #catchUp(): Batch<T> | undefined {
    this.#lastTaken = this.#clock.now()
    while (this.#initial !== undefined || !this.#isLive) {
      // Events that were buffered before the watcher fell behind come first, even after its end.
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
    let looked = 0
    for (; bytes < batchBytes && looked < examined; looked++) {
      let next
      try {
        next = initial.next()
      } catch (error) {
        // The reader still gets the objects before the unreadable one.
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
    this.#options.metrics?.initialEvents(batch.length)
    return [batch, looked]
  }

  #takeFromRing(): [Batch<T>, number] {
    const { ring } = this.#options
    const limits = this.#limits
    const batch: ObjectEvent<T>[] = []
    if (this.#position < ring.start) {
      this.#options.metrics?.terminated()
      this.end(tooOld(this.selection.key, 'too old resource version: the watch fell behind the available history'))
      return [batch, 0]
    }
    let bytes = 0
    let looked = 0
    let revision: Revision | undefined
    for (; this.#position < ring.end; this.#position++, looked++) {
      const event = ring.at(this.#position)!
      if (event.revision !== revision && (looked >= limits.examined || bytes >= limits.batchBytes)) return [batch, looked]
      revision = event.revision
      const visible = revision > this.after ? this.#eventFor(event) : undefined
      if (visible === undefined) continue
      batch.push(visible)
      bytes += visible.object.body.length
    }
    this.#isLive = true
    return [batch, looked]
  }

  /** Returns the event for this watcher, or undefined if its selection leaves it out. */
  #eventFor(event: CacheEvent<T>): ObjectChange<T> | undefined {
    const { previous, object } = event
    return event.seenAs(previous !== undefined && this.#matches(previous), object !== undefined && this.#matches(object))
  }

  #matches(object: StoredObject<T>): boolean {
    return this.#triggerField === undefined ? this.selection.matches(object) : object.field(this.#triggerField) === this.#triggerValue
  }
}
