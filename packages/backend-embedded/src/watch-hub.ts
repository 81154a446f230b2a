import type { Clock } from '@keelson/apimachinery'
import { inRange, SlowWatcherError, type Change, type KeyRange, type Revision, type WatchMessage } from '@keelson/storagebackend'
import type { History, RevisionRecord } from './history.ts'
import { RangeIndex } from './range-index.ts'
import { WatchQueue, type QueueLimits } from './watch-queue.ts'

/** How much history one pull looks at before it lets others run. */
const replayRevisions = 2000

export interface WatchHubOptions {
  readonly history: History
  readonly clock: Clock
  readonly limits: QueueLimits
  readonly progressInterval: number
}

/**
 * Publication. A watch first replays history at its reader's pace, holding nothing but a position; once it has caught up it gets a queue
 * and every revision is put in as it is published. Both happen between two turns of the event loop, so nothing falls between them.
 */
export class WatchHub {
  readonly #options: WatchHubOptions
  readonly #live = new RangeIndex<WatchQueue>()
  /** Not caught up yet; true when progress was asked for meanwhile. */
  readonly #replaying = new Map<WatchQueue, boolean>()
  #stopped: Error | undefined
  #cancelTimer: (() => void) | undefined

  constructor(options: WatchHubOptions) {
    this.#options = options
  }

  publish(record: RevisionRecord): void {
    if (this.#live.size === 0) return
    const { changes, revision } = record
    if (changes.length === 1) {
      this.#live.forEach(keyOf(changes[0]!), (queue) => queue.push(revision, changes, record.bytes))
      return
    }
    const perQueue = new Map<WatchQueue, Change[]>()
    for (const change of changes) {
      this.#live.forEach(keyOf(change), (queue) => {
        const own = perQueue.get(queue)
        if (own) own.push(change)
        else perQueue.set(queue, [change])
      })
    }
    for (const [queue, own] of perQueue) queue.push(revision, own, record.bytes)
  }

  /** To every reader, behind all changes up to the current revision. */
  progress(): void {
    for (const queue of this.#live.all()) queue.progress(this.#options.history.current, true)
    for (const queue of this.#replaying.keys()) this.#replaying.set(queue, true)
  }

  stop(error: Error): void {
    this.#stopped = error
    this.#cancelTimer?.()
    for (const queue of this.#live.all()) queue.end(error)
    for (const queue of this.#replaying.keys()) queue.end(error)
  }

  async *watch(range: KeyRange, after: Revision, signal: AbortSignal): AsyncGenerator<WatchMessage, undefined> {
    if (signal.aborted) return
    if (this.#stopped) throw this.#stopped
    const { history, limits } = this.#options
    const queue = new WatchQueue(range, after, limits)
    const leave = (): void => {
      queue.end(undefined)
      this.#live.delete(queue)
      this.#replaying.delete(queue)
      signal.removeEventListener('abort', leave)
    }
    signal.addEventListener('abort', leave)
    this.#replaying.set(queue, false)
    try {
      history.requireKept(after)
      let position = after
      while (position < history.current && !queue.ended) {
        if (position < history.compacted) throw new SlowWatcherError()
        const replayed = replay(history, range, position)
        position = replayed.position
        if (replayed.changes.length > 0) yield { type: 'changes', changes: replayed.changes, revision: replayed.revision }
        else await nextTurn()
      }
      // No await since the position was compared with the current revision: nothing can be published in between.
      const askedProgress = this.#replaying.get(queue)
      this.#replaying.delete(queue)
      if (!queue.ended) this.#live.add(queue)
      if (askedProgress) queue.progress(position, true)
      this.#startTimer()
      for (;;) {
        const message = queue.take()
        if (message) {
          const wanted = skipUntil(message, after)
          if (wanted) yield wanted
        } else if (queue.ended) return
        else await queue.ready()
      }
    } finally {
      leave()
    }
  }

  #startTimer(): void {
    if (this.#cancelTimer) return
    const { clock, history, progressInterval } = this.#options
    this.#cancelTimer = clock.after(progressInterval, () => {
      this.#cancelTimer = undefined
      if (this.#stopped || this.#live.size === 0) return
      for (const queue of this.#live.all()) queue.progress(history.current, false)
      this.#startTimer()
    })
  }
}

function keyOf(change: Change): string {
  return change.type === 'put' ? change.entry.key : change.key
}

function revisionOf(change: Change): Revision {
  return change.type === 'put' ? change.entry.modRevision : change.revision
}

/** A watch may start after a revision that is still to come; what is before it is not its business. */
function skipUntil(message: WatchMessage, after: Revision): WatchMessage | undefined {
  if (message.revision <= after) return undefined
  if (message.type === 'progress' || revisionOf(message.changes[0]!) > after) return message
  return { ...message, changes: message.changes.filter((change) => revisionOf(change) > after) }
}

function replay(history: History, range: KeyRange, position: Revision): { position: Revision; revision: Revision; changes: Change[] } {
  const changes: Change[] = []
  const until = Math.min(history.current, position + replayRevisions)
  let revision = position
  while (position < until && changes.length < 500) {
    const record = history.record(++position)!
    for (const change of record.changes) {
      if (!inRange(range, keyOf(change))) continue
      changes.push(change)
      revision = position
    }
  }
  return { position, revision, changes }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
