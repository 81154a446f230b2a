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
  /** Bounds of one watcher's buffer. A watcher beyond either continues from the ring. */
  readonly bufferedEvents: number
  readonly bufferedBytes: number
  /** The approximate size of one batch of a watcher that is catching up. */
  readonly batchBytes: number
  /** Objects or events that one watcher examines before it lets others run. */
  readonly examined: number
}

export const defaultWatcherLimits: WatcherLimits = { bufferedEvents: 1000, bufferedBytes: 8 << 20, batchBytes: 256 << 10, examined: 500 }

/** A watcher's required value of the trigger field. */
export interface Trigger {
  readonly field: string
  readonly value: string
}

export interface CacheWatcherOptions<T extends KubeObject> {
  readonly selection: Selection<T>
  /** Only if the selection requires nothing else. */
  readonly trigger?: Trigger | undefined
  readonly ring: EventRing<CacheEvent<T>>
  readonly clock: Clock
  readonly limits: WatcherLimits
  /** The watcher sees only changes after this revision. */
  readonly after: Revision
  /** The position in the ring to continue from after the initial state. */
  readonly position: number
  /** The initial state, sent as ADDED events. Undefined stands for an object that the selection leaves out. */
  readonly initial?: Iterator<StoredObject<T> | undefined> | undefined
  /** Ends the initial state with a bookmark of this revision. */
  readonly initialEventsEnd?: Revision | undefined
  readonly allowBookmarks: boolean
  /** When the owner will end the watch; ms since epoch. */
  readonly deadline?: number | undefined
  /** Called when the watcher fell behind and must be checked for a stalled reader. */
  readonly onBehind: () => void
  readonly onEnd: () => void
  readonly metrics?: ResourceCacheMetrics | undefined
  /** Default: one for all watchers. */
  readonly budget?: TurnBudget
}

type Batch<T extends KubeObject> = readonly ObjectEvent<T>[]

export interface WatcherReader {
  wake(): void
}

/**
 * One watch of the cache. It takes events, in this order, from
 *
 *   initial state ──▶ ring (from a position) ──▶ its own buffer, filled by the dispatcher ("live")
 *                          ▲                               │
 *                          └──── buffer over its budget ───┘
 *
 * A reader that falls behind costs a bounded buffer and then nothing: it catches up from the shared ring when it reads again. Its watch ends
 * with `ResourceVersionTooOld` when the ring has moved on, or when it has not read for `stalledAfter`. The watcher changes its source only between
 * two revisions. There is no await between reading the ring's end and becoming live, so no event is lost or seen twice.
 *
 * The reader calls `take` until it returns nothing, then `wait`. It is woken when there are events, or at the end.
 */
export class CacheWatcher<T extends KubeObject = KubeObject> {
  // The fields that every event reads come first and are the watcher's own: with thousands of watchers the memory of each is cold.
  readonly after: Revision
  #isLive = false
  #hasEnded = false
  /** Undefined when empty, as nearly all buffers of thousands of watchers are. */
  #buffer: ObjectEvent<T>[] | undefined
  #bufferedBytes = 0
  /** Set while the reader waits. */
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
  /** Waits for the turn budget. */
  #isPaused = false
  /** While it is not live: when its reader last called `take`, or when it fell behind. */
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

  /** True from the end on. Earlier events may still be taken. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get isWaiting(): boolean {
    return this.#reader !== undefined
  }

  /** The next batch; undefined if there is none yet. */
  take(): Batch<T> | undefined {
    if (this.#initial !== undefined || !this.#isLive) return this.#catchUp()
    return this.#buffer === undefined ? undefined : this.#takeBuffer(this.#buffer)
  }

  /** Wakes the reader once, when `take` has a batch or the watcher has ended. Call it in the turn in which `take` returned undefined. */
  wait(reader: WatcherReader): void {
    this.#reader = reader
  }

  /** The error that ended the watcher, returned once. Undefined if its owner ended it. */
  takeError(): unknown {
    const error = this.#error
    this.#error = undefined
    return error
  }

  /** Takes the events of one revision; `position` is that of the first one in the ring. Returns true if the reader must be woken, after the whole batch. */
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
      const seen = this.#eventFor(event)
      if (seen === undefined) continue
      hasEvents = true
      this.#append(seen)
      this.#bufferedBytes += seen.object.body.length
    }
    return hasEvents
  }

  /** Returns false if the bookmark cannot be sent yet, because earlier events are still to be taken. */
  sendBookmark(revision: Revision): boolean {
    if (!this.#isLive || this.#hasEnded) return false
    // The client knows this revision: the watch began there.
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

  /** True if the watcher is behind and its reader has not called `take` for longer than `stalledAfter`. */
  isStalled(now: number, stalledAfter: number): boolean {
    return !this.#isLive && !this.#hasEnded && !this.isWaiting && now - this.#lastTaken > stalledAfter
  }

  /** Ends the watcher. The reader gets the buffered events, then the error. Without an error it gets the end at once. */
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
    this.end(tooOld(this.selection.key, 'the watch was ended because its events were not read in time'))
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

  /** The next batch of a watcher that is not live yet. */
  #catchUp(): Batch<T> | undefined {
    this.#lastTaken = this.#clock.now()
    while (this.#initial !== undefined || !this.#isLive) {
      // Events that were buffered before it fell behind come first, also after its end.
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
      this.end(tooOld(this.selection.key, 'too old resource version: the watch fell behind the history that is kept'))
      return [batch, 0]
    }
    let bytes = 0
    let looked = 0
    let revision: Revision | undefined
    for (; this.#position < ring.end; this.#position++, looked++) {
      const event = ring.at(this.#position)!
      if (event.revision !== revision && (looked >= limits.examined || bytes >= limits.batchBytes)) return [batch, looked]
      revision = event.revision
      const seen = revision > this.after ? this.#eventFor(event) : undefined
      if (seen === undefined) continue
      batch.push(seen)
      bytes += seen.object.body.length
    }
    this.#isLive = true
    return [batch, looked]
  }

  /** The event as this watcher sees it; undefined if its selection leaves it out. */
  #eventFor(event: CacheEvent<T>): ObjectChange<T> | undefined {
    const { previous, object } = event
    return event.seenAs(previous !== undefined && this.#matches(previous), object !== undefined && this.#matches(object))
  }

  #matches(object: StoredObject<T>): boolean {
    return this.#triggerField === undefined ? this.selection.matches(object) : object.field(this.#triggerField) === this.#triggerValue
  }
}
