import { waitForNextTurn } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import {
  isInRange,
  SlowWatcherError,
  WatchQueue,
  type BackendSnapshot,
  type Change,
  type Entry,
  type KeyRange,
  type QueueLimits,
  type Revision,
  type TreeSnapshot,
  type WatchMessage,
  type WatchOptions,
} from '@keelson/storagebackend'
import type { History, RevisionRecord } from './history.ts'
import { RangeIndex } from './range-index.ts'
import { createSnapshot } from './history.ts'

/** The number of revisions of the history that one read examines before it lets other work run. */
const replayRevisions = 2000

export interface WatchPublisherOptions {
  readonly history: History
  /** Returns the state at the current revision. */
  readonly getNewestState: () => TreeSnapshot<Entry>
  readonly clock: Clock
  readonly limits: QueueLimits
  readonly progressInterval: number
}

/**
 * Publishes revisions to watches. A new watch first replays the history at the speed of its reader, and needs no queue for that. Then each
 * new revision is pushed to the queue of the watch. The switch happens within one turn of the event loop, so no revision is lost.
 */
export class WatchPublisher {
  readonly #options: WatchPublisherOptions
  readonly #live = new RangeIndex<WatchQueue>()
  /** The watches that still replay history. The value is true if progress was requested during the replay. */
  readonly #replaying = new Map<WatchQueue, boolean>()
  #stopped: Error | undefined
  #cancelTimer: (() => void) | undefined

  constructor(options: WatchPublisherOptions) {
    this.#options = options
  }

  publish(record: RevisionRecord): void {
    if (this.#live.size === 0) return
    const { changes, revision } = record
    if (changes.length === 1) {
      this.#live.forEach(readKey(changes[0]!), (queue) => queue.push(revision, changes, record.bytes))
      return
    }
    const perQueue = new Map<WatchQueue, Change[]>()
    for (const change of changes) {
      this.#live.forEach(readKey(change), (queue) => {
        const queued = perQueue.get(queue)
        if (queued) queued.push(change)
        else perQueue.set(queue, [change])
      })
    }
    for (const [queue, queued] of perQueue) queue.push(revision, queued, record.bytes)
  }

  /** Sends progress to every watch, after all changes up to the current revision. */
  progress(): void {
    for (const queue of this.#live.all()) queue.progress(this.#options.history.current)
    for (const queue of this.#replaying.keys()) this.#replaying.set(queue, true)
  }

  stop(error: Error): void {
    this.#stopped = error
    this.#cancelTimer?.()
    for (const queue of this.#live.all()) queue.end(error)
    for (const queue of this.#replaying.keys()) queue.end(error)
  }

  watch(range: KeyRange, after: Revision, { signal, states }: WatchOptions): AsyncIterable<WatchMessage> {
    return new WatchQueue({
      range,
      after,
      limits: this.#options.limits,
      signal,
      openEarlier: (queue) => this.#catchUp(queue, after, states),
      ...(states && { stateAfter: (revision, newest) => this.#findState(range, revision, newest) }),
      onEnd: (queue) => {
        this.#live.delete(queue)
        this.#replaying.delete(queue)
      },
    })
  }

  async *#catchUp(queue: WatchQueue, after: Revision, states: boolean | undefined): AsyncGenerator<WatchMessage, undefined> {
    if (this.#stopped) throw this.#stopped
    const { history } = this.#options
    const { range } = queue
    history.requireKept(after)
    this.#replaying.set(queue, false)
    let position = after
    while (position < history.current && !queue.ended) {
      if (position < history.compacted) throw new SlowWatcherError()
      const replayed = replay(history, range, position)
      position = replayed.position
      const { changes, revision } = replayed
      if (changes.length > 0) {
        const state = states ? this.#findState(range, revision, false) : undefined
        yield { type: 'changes', changes, revision, ...(state && { state }) }
      } else await waitForNextTurn()
    }
    if (queue.ended) return
    // There must be no `await` between comparing the position with the current revision and adding the queue, because a revision published
    // in between would be lost.
    this.#live.add(queue)
    if (this.#replaying.get(queue)) queue.progress(position)
    this.#replaying.delete(queue)
    this.#startTimer()
  }

  /**
   * Returns the state of the range at a revision. `newest` is true if no later revision changes the range, so that the newest state can be
   * returned.
   */
  #findState({ start, end }: KeyRange, revision: Revision, newest: boolean): BackendSnapshot | undefined {
    if (end === undefined) return undefined
    const state = newest ? this.#options.getNewestState() : this.#options.history.stateAt(revision)
    return state && createSnapshot(revision, state.within({ start, end }))
  }

  #startTimer(): void {
    if (this.#cancelTimer) return
    const { clock, history, progressInterval } = this.#options
    this.#cancelTimer = clock.after(progressInterval, () => {
      this.#cancelTimer = undefined
      if (this.#stopped || this.#live.size === 0) return
      for (const queue of this.#live.all()) {
        if (queue.newest < history.current) queue.progress(history.current)
      }
      this.#startTimer()
    })
  }
}

function readKey(change: Change): string {
  return change.type === 'put' ? change.entry.key : change.key
}

function replay(history: History, range: KeyRange, position: Revision): { position: Revision; revision: Revision; changes: Change[] } {
  const changes: Change[] = []
  const lastRevision = Math.min(history.current, position + replayRevisions)
  let revision = position
  while (position < lastRevision && changes.length < 500) {
    const record = history.record(++position)!
    for (const change of record.changes) {
      if (!isInRange(range, readKey(change))) continue
      changes.push(change)
      revision = position
    }
  }
  return { position, revision, changes }
}
