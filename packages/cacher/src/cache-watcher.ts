import type { Clock, KubeObject } from '@keelson/apimachinery'
import { tooOld } from '@keelson/storagebackend'
import type { ObjectEvent, Revision, StoredObject } from '@keelson/storagebackend'
import type { CacheEvent } from './cache-event.ts'
import type { ObjectChange } from './cache-state.ts'
import { catchUpBudget } from './turn-budget.ts'
import type { TurnBudget } from './turn-budget.ts'
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

/** One value of one field. */
export interface Trigger {
  readonly field: string
  readonly value: string
}

export interface WatcherOptions<T extends KubeObject> {
  readonly selection: Selection<T>
  /** When it is all that the selection asks. */
  readonly trigger?: Trigger | undefined
  readonly ring: EventRing<CacheEvent<T>>
  readonly clock: Clock
  readonly limits: WatcherLimits
  /** Changes up to and with this revision are not shown. */
  readonly after: Revision
  /** Where in the ring to begin, once the initial state is through. */
  readonly position: number
  /** The state to begin with, as ADDED events; undefined is looked at, and not shown. */
  readonly initial?: Iterator<StoredObject<T> | undefined> | undefined
  /** Closes the initial state with a bookmark of this revision. */
  readonly initialEventsEnd?: Revision | undefined
  readonly allowBookmarks: boolean
  /** When its owner will end it (ms since epoch). */
  readonly deadline?: number | undefined
  /** Told when the watcher has left the live path (it must be looked after) and when it is over. */
  readonly onBehind: () => void
  readonly onEnd: () => void
  readonly metrics?: ResourceCacheMetrics | undefined
  /** Default: one for all watchers. */
  readonly budget?: TurnBudget
}

type Batch<T extends KubeObject> = readonly ObjectEvent<T>[]

/** Takes what a watcher has. */
export interface WatcherReader {
  wake(): void
}

/**
 * One watch, from its beginnings to what its reader takes. It reads, in this order, from
 *
 *   initial state ──▶ ring (from a position) ──▶ its own buffer, filled by the dispatcher ("live")
 *                          ▲                               │
 *                          └──── buffer over its budget ───┘
 *
 * so a reader that falls behind costs a bounded buffer and then nothing: it catches up from the shared ring when it reads again,
 * and is Expired when the ring has moved on or its patience is over. Everything is moved at whole revisions only, and between
 * looking at the ring's end and becoming live there is no await: nothing is lost or seen twice.
 *
 * The reader takes what is there; when that is nothing, it is woken when there is something, or the end.
 */
export class Watcher<T extends KubeObject = KubeObject> {
  // What every event looks at comes first, and holds it itself: with thousands of watchers the memory of each is cold.
  readonly after: Revision
  #live = false
  #ended = false
  /** Undefined is empty: of thousands of watchers, nearly all are. */
  #buffer: ObjectEvent<T>[] | undefined
  #bufferedBytes = 0
  /** While it waits. */
  #reader: WatcherReader | undefined
  readonly #triggerField: string | undefined
  readonly #triggerValue: string | undefined
  readonly selection: Selection<T>
  readonly allowBookmarks: boolean
  readonly deadline: number | undefined
  readonly #options: WatcherOptions<T>
  readonly #limits: WatcherLimits
  readonly #budget: TurnBudget
  readonly #clock: Clock
  #initial: Iterator<StoredObject<T> | undefined> | undefined
  #position: number
  /** Others have their turn before it looks further. */
  #pausing = false
  /** While it is not live: when it was last read from, or fell behind. */
  #lastTaken: number
  #error: unknown

  constructor(options: WatcherOptions<T>) {
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

  get live(): boolean {
    return this.#live
  }

  /** Over; what was there before the end may still be taken. */
  get ended(): boolean {
    return this.#ended
  }

  get waiting(): boolean {
    return this.#reader !== undefined
  }

  /** The next batch, if it is there. */
  take(): Batch<T> | undefined {
    if (this.#initial !== undefined || !this.#live) return this.#catchUp()
    return this.#buffer === undefined ? undefined : this.#hand(this.#buffer)
  }

  /** Wakes the reader, once, when `take` has something or the watcher has ended. Only after `take` had nothing, in the same turn. */
  wait(reader: WatcherReader): void {
    this.#reader = reader
  }

  /** Why it ended, told once; undefined when there was no reason but that its owner wanted so. */
  takeError(): unknown {
    const error = this.#error
    this.#error = undefined
    return error
  }

  /**
   * Takes the events of one revision, the first of which stands at `position` in the ring. True when its reader is to be woken
   * (by `wake`, after the whole batch).
   */
  push(events: readonly CacheEvent<T>[], position: number): boolean {
    if (!this.#live || this.#ended || events[0]!.revision <= this.after) return false
    if (this.#buffer !== undefined && this.#isFull(this.#buffer)) {
      this.#live = false
      this.#position = position
      this.#lastTaken = this.#clock.now()
      this.#options.onBehind()
      return false
    }
    let shown = false
    for (const event of events) {
      const seen = this.#see(event)
      if (seen === undefined) continue
      shown = true
      this.#keep(seen)
      this.#bufferedBytes += seen.object.body.length
    }
    return shown
  }

  /** False when it cannot be sent now, because events that come before it are not yet through. */
  bookmark(revision: Revision): boolean {
    if (!this.#live || this.#ended) return false
    // A watch that nothing has happened to since it began has nothing new to remember.
    if (revision <= this.after) return true
    if (this.#buffer?.at(-1)?.type === 'BOOKMARK') this.#buffer.pop()
    this.#keep({ type: 'BOOKMARK', revision, initialEventsEnd: false })
    this.wake()
    return true
  }

  /** Tells its reader, if that waits, to take again. */
  wake(): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.wake()
  }

  /** Behind, and its reader has not come back for longer than `patience`. */
  isStalled(now: number, patience: number): boolean {
    return !this.#live && !this.#ended && !this.waiting && now - this.#lastTaken > patience
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
    this.end(tooOld(this.selection.key, 'the watch was ended because its events were not read in time'))
  }

  #isFull(buffer: Batch<T>): boolean {
    const { bufferedEvents, bufferedBytes } = this.#limits
    return buffer.length >= bufferedEvents || this.#bufferedBytes >= bufferedBytes
  }

  #keep(event: ObjectEvent<T>): void {
    if (this.#buffer === undefined) this.#buffer = [event]
    else this.#buffer.push(event)
  }

  #drop(): void {
    this.#buffer = undefined
    this.#bufferedBytes = 0
  }

  /** What is buffered. */
  #hand(batch: Batch<T>): Batch<T> {
    this.#drop()
    return batch
  }

  /** Until it is live or over. */
  #catchUp(): Batch<T> | undefined {
    this.#lastTaken = this.#clock.now()
    while (this.#initial !== undefined || !this.#live) {
      // What was buffered before it fell behind comes first, also when it is over.
      if (this.#initial === undefined && this.#buffer !== undefined) return this.#hand(this.#buffer)
      if (this.#ended || this.#pausing) return undefined
      if (this.#initial !== undefined && this.#budget.spent) {
        this.#pause()
        return undefined
      }
      const [batch, looked] = this.#initial === undefined ? this.#takeFromRing() : this.#takeInitial(this.#initial)
      if (batch.length > 0) return batch
      if (looked >= this.#limits.scanned) this.#pause()
    }
    return undefined
  }

  #pause(): void {
    this.#pausing = true
    this.#budget.wait(() => {
      this.#pausing = false
      this.wake()
    })
  }

  #takeInitial(initial: Iterator<StoredObject<T> | undefined>): [Batch<T>, number] {
    const { batchBytes, scanned } = this.#limits
    const batch: ObjectEvent<T>[] = []
    let bytes = 0
    let looked = 0
    for (; bytes < batchBytes && looked < scanned; looked++) {
      let next
      try {
        next = initial.next()
      } catch (error) {
        // What comes before one that cannot be read is shown all the same.
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
      if (event.revision !== revision && (looked >= limits.scanned || bytes >= limits.batchBytes)) return [batch, looked]
      revision = event.revision
      const seen = revision > this.after ? this.#see(event) : undefined
      if (seen === undefined) continue
      batch.push(seen)
      bytes += seen.object.body.length
    }
    this.#live = true
    return [batch, looked]
  }

  /** What the watcher sees of the event, if anything. */
  #see(event: CacheEvent<T>): ObjectChange<T> | undefined {
    const { previous, object } = event
    return event.seenAs(previous !== undefined && this.#isShown(previous), object !== undefined && this.#isShown(object))
  }

  #isShown(object: StoredObject<T>): boolean {
    return this.#triggerField === undefined ? this.selection.matches(object) : object.field(this.#triggerField) === this.#triggerValue
  }
}
