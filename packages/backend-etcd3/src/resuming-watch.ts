import type { Clock } from '@keelson/apimachinery'
import { CompactedError, type KeyRange, type Revision, type WatchQueue } from '@keelson/storagebackend'
import type { Endpoint } from './endpoint.ts'
import { EventCollector } from './event-collector.ts'
import type { KnownRevisions } from './known-revisions.ts'
import type { Servers } from './servers.ts'
import { readCancellation, readFailure, toBackendError, type CallFailure } from './translate-error.ts'
import type { WatchResponse } from './watch-response.ts'
import { openWatchStream, type WatchStream } from './watch-stream.ts'

/** The id in answers to manual progress requests: they are for every watch of the stream. */
const everyWatch = -1
const firstPause = 20
const longestPause = 1000
/** How long an unanswered progress request is waited for: etcd drops those that come while the watch is catching up. */
const progressPatience = 100

export interface ResumingWatchOptions {
  readonly servers: Servers
  readonly known: KnownRevisions
  readonly clock: Clock
  readonly queue: WatchQueue
  readonly range: KeyRange
  readonly after: Revision
  /** How long etcd may take to accept the watch. */
  readonly callTimeout: number
}

/**
 * A watch that outlives its streams.
 *
 *     connecting ──accepted──▶ open ──stream broke──▶ pausing ──▶ connecting …
 *
 * `position` is what has been put in the queue in whole: the last change's revision, or a progress's. The next stream goes on behind it.
 * No other revision in etcd's answers says anything about what this watch has seen: the header of a batch carries the store's newest
 * revision, which a watch that is catching up may be far behind.
 */
export class ResumingWatch {
  readonly #options: ResumingWatchOptions
  readonly #collector = new EventCollector()
  #position: Revision
  #stream: WatchStream | undefined
  #endpoint: Endpoint | undefined
  #accepted = false
  #ended = false
  #pause = firstPause
  #cancelTimer: (() => void) | undefined
  /** A progress must come that is not older; 0 when none is wanted. */
  #wanted: Revision = 0
  #cancelAsking: (() => void) | undefined
  #quiet = false

  constructor(options: ResumingWatchOptions) {
    this.#options = options
    this.#position = options.after
    void this.#connect()
  }

  requestProgress(revision: Revision): void {
    this.#wanted = Math.max(this.#wanted, revision, 1)
    this.#ask()
  }

  /** Called now and then: a watch that has heard nothing since the last time asks how far it is. */
  remind(): void {
    if (this.#quiet && this.#wanted === 0) this.requestProgress(this.#position)
    this.#quiet = true
  }

  stop(error?: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#drop()
    this.#options.queue.end(error)
  }

  async #connect(): Promise<void> {
    const { servers, range, clock, callTimeout } = this.#options
    const endpoint = servers.current
    this.#endpoint = endpoint
    const broken = (error: unknown): void => {
      if (this.#endpoint === endpoint) this.#broke(error)
    }
    try {
      const stream = await openWatchStream(endpoint, range, this.#position, {
        response: (response) => this.#take(response),
        ended: broken,
      })
      // Ended, or broken already: then another connection is on its way.
      if (this.#ended || this.#endpoint !== endpoint) {
        stream.close()
        return
      }
      this.#stream = stream
      this.#cancelTimer = clock.after(callTimeout, () => this.#broke(undefined))
    } catch (error) {
      broken(error)
    }
  }

  #take(response: WatchResponse): void {
    if (this.#ended) return
    try {
      this.#quiet = false
      this.#options.known.saw(response.revision)
      if (response.canceled) this.#cancelled(response)
      else if (response.created) this.#created()
      else if (response.events.length > 0 || this.#collector.isIncomplete) this.#events(response)
      else this.#progress(response.revision, response.watchId === everyWatch)
    } catch (error) {
      this.stop(error as Error)
    }
  }

  #created(): void {
    this.#accepted = true
    this.#pause = firstPause
    this.#cancelTimer?.()
    if (this.#wanted > 0) this.#ask()
  }

  #cancelled(response: WatchResponse): void {
    const compacted = response.compactRevision
    if (compacted > 0) {
      this.#options.known.sawCompacted(compacted)
      throw new CompactedError(this.#position, compacted)
    }
    this.#failed(readCancellation(response.cancelReason))
  }

  #events(response: WatchResponse): void {
    if (response.watchId === everyWatch) return
    const collected = this.#collector.add(response.events, response.fragment, this.#position)
    if (!collected) return
    this.#position = collected.revision
    this.#options.queue.push(collected.revision, collected.changes, collected.bytes)
  }

  #progress(revision: Revision, answer: boolean): void {
    const enough = this.#wanted > 0 && revision >= this.#wanted
    if (enough) {
      this.#wanted = 0
      this.#cancelAsking?.()
      this.#cancelAsking = undefined
    } else if (answer && this.#wanted > 0) {
      // Older than wanted: this member is behind the one that was asked for the revision.
      this.#cancelAsking?.()
      this.#cancelAsking = this.#options.clock.after(10, () => this.#askNow())
    }
    // Another member may be behind what has been seen; a watch that begins in the future is told nothing of what comes before.
    if (revision < this.#position) return
    this.#position = revision
    this.#options.queue.progress(revision)
  }

  /** One request at a time is under way. */
  #ask(): void {
    if (this.#accepted && !this.#cancelAsking) this.#askNow()
  }

  #askNow(): void {
    this.#cancelAsking = undefined
    if (this.#ended || !this.#accepted || this.#wanted === 0) return
    this.#stream?.requestProgress()
    this.#cancelAsking = this.#options.clock.after(progressPatience, () => this.#askNow())
  }

  /** The stream is gone, or never answered. */
  #broke(error: unknown): void {
    if (this.#ended) return
    // A stream that ends without an error is a server that stops.
    this.#failed(error === undefined ? readCancellation('etcd stopped answering') : readFailure(error))
  }

  #failed(failure: CallFailure): void {
    const { servers, clock } = this.#options
    if (!failure.transient) {
      this.stop(toBackendError(failure, { at: this.#position }))
      return
    }
    if (this.#endpoint) servers.failed(this.#endpoint)
    this.#drop()
    this.#cancelTimer = clock.after(this.#pause * (0.5 + Math.random() / 2), () => void this.#connect(), { keepAlive: true })
    this.#pause = Math.min(this.#pause * 2, longestPause)
  }

  #drop(): void {
    this.#accepted = false
    this.#endpoint = undefined
    this.#cancelTimer?.()
    this.#cancelAsking?.()
    this.#cancelAsking = undefined
    this.#stream?.close()
    this.#stream = undefined
    this.#collector.reset()
  }
}
