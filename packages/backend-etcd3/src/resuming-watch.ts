import type { Clock } from '@keelson/apimachinery'
import { CompactedError, type KeyRange, type Revision, type WatchQueue } from '@keelson/storagebackend'
import type { Endpoint } from './endpoint.ts'
import { EventCollector } from './event-collector.ts'
import type { KnownRevisions } from './known-revisions.ts'
import type { Servers } from './servers.ts'
import { readCancellation, readFailure, toBackendError, type CallFailure } from './translate-error.ts'
import type { WatchResponse } from './watch-response.ts'
import { openWatchStream, type WatchStream } from './watch-stream.ts'

/** Watch id in responses to progress requests. Such a response applies to every watch of the stream. */
const allWatches = -1
const initialPause = 20
const maxPause = 1000
/** Time in milliseconds after which a progress request is repeated. etcd drops requests while a watch is catching up. */
const progressRetryInterval = 100

export interface ResumingWatchOptions {
  readonly servers: Servers
  readonly knownRevisions: KnownRevisions
  readonly clock: Clock
  readonly queue: WatchQueue
  readonly range: KeyRange
  readonly after: Revision
  /** Maximum time in milliseconds until etcd accepts the watch. */
  readonly callTimeout: number
}

/**
 * A watch that reconnects when its stream breaks:
 *
 *     connecting ──accepted──▶ open ──stream broke──▶ pausing ──▶ connecting …
 *
 * The queue contains all changes up to the revision `position`, which comes from the last change or progress response. The next stream resumes
 * after `position`. No other revision in etcd's responses is the position of this watch. The header of a response contains the store's current
 * revision, and a watch that is catching up may be far behind it.
 */
export class ResumingWatch {
  readonly #options: ResumingWatchOptions
  readonly #collector = new EventCollector()
  #position: Revision
  #stream: WatchStream | undefined
  #endpoint: Endpoint | undefined
  #isAccepted = false
  #isEnded = false
  #pause = initialPause
  #cancelTimer: (() => void) | undefined
  /** Revision that the watch must reach before a progress request is answered; 0 if no request is pending. */
  #requestedRevision: Revision = 0
  #cancelProgressTimer: (() => void) | undefined
  #isIdle = false

  constructor(options: ResumingWatchOptions) {
    this.#options = options
    this.#position = options.after
    void this.#connect()
  }

  requestProgress(revision: Revision): void {
    this.#requestedRevision = Math.max(this.#requestedRevision, revision, 1)
    this.#startProgressRequest()
  }

  /** Requests progress if the watch has received nothing since the previous call. The caller calls it periodically. */
  requestProgressIfIdle(): void {
    if (this.#isIdle && this.#requestedRevision === 0) this.requestProgress(this.#position)
    this.#isIdle = true
  }

  stop(error?: Error): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#closeStream()
    this.#options.queue.end(error)
  }

  async #connect(): Promise<void> {
    const { servers, range, clock, callTimeout } = this.#options
    const endpoint = servers.current
    this.#endpoint = endpoint
    const onBroken = (error: unknown): void => {
      if (this.#endpoint === endpoint) this.#handleBrokenStream(error)
    }
    try {
      const stream = await openWatchStream(endpoint, range, this.#position, {
        handleResponse: (response) => this.#handleResponse(response),
        handleEnd: onBroken,
      })
      // The watch has ended meanwhile, or it broke and is already reconnecting.
      if (this.#isEnded || this.#endpoint !== endpoint) {
        stream.close()
        return
      }
      this.#stream = stream
      this.#cancelTimer = clock.after(callTimeout, () => this.#handleBrokenStream(undefined))
    } catch (error) {
      onBroken(error)
    }
  }

  #handleResponse(response: WatchResponse): void {
    if (this.#isEnded) return
    try {
      this.#isIdle = false
      this.#options.knownRevisions.recordRevision(response.revision)
      if (response.canceled) this.#handleCancelled(response)
      else if (response.created) this.#handleCreated()
      else if (response.events.length > 0 || this.#collector.isIncomplete) this.#handleEvents(response)
      else this.#handleProgress(response.revision, response.watchId === allWatches)
    } catch (error) {
      this.stop(error as Error)
    }
  }

  #handleCreated(): void {
    this.#isAccepted = true
    this.#pause = initialPause
    this.#cancelTimer?.()
    if (this.#requestedRevision > 0) this.#startProgressRequest()
  }

  #handleCancelled(response: WatchResponse): void {
    const compacted = response.compactRevision
    if (compacted > 0) {
      this.#options.knownRevisions.recordCompacted(compacted)
      throw new CompactedError(this.#position, compacted)
    }
    this.#handleFailure(readCancellation(response.cancelReason))
  }

  #handleEvents(response: WatchResponse): void {
    if (response.watchId === allWatches) return
    const complete = this.#collector.add(response.events, response.fragment, this.#position)
    if (!complete) return
    this.#position = complete.revision
    this.#options.queue.push(complete.revision, complete.changes, complete.bytes)
  }

  #handleProgress(revision: Revision, isResponse: boolean): void {
    const isReached = this.#requestedRevision > 0 && revision >= this.#requestedRevision
    if (isReached) {
      this.#requestedRevision = 0
      this.#cancelProgressTimer?.()
      this.#cancelProgressTimer = undefined
    } else if (isResponse && this.#requestedRevision > 0) {
      // The reported revision is older than the requested one, because this etcd member lags behind the one that returned the requested revision.
      this.#cancelProgressTimer?.()
      this.#cancelProgressTimer = this.#options.clock.after(10, () => this.#sendProgressRequest())
    }
    // A lagging member may report a revision older than `position`. A watch that starts at a future revision receives no earlier changes.
    if (revision < this.#position) return
    this.#position = revision
    this.#options.queue.progress(revision)
  }

  /** Requests progress, and repeats the request until etcd answers it. At most one request is pending. */
  #startProgressRequest(): void {
    if (this.#isAccepted && !this.#cancelProgressTimer) this.#sendProgressRequest()
  }

  #sendProgressRequest(): void {
    this.#cancelProgressTimer = undefined
    if (this.#isEnded || !this.#isAccepted || this.#requestedRevision === 0) return
    this.#stream?.requestProgress()
    this.#cancelProgressTimer = this.#options.clock.after(progressRetryInterval, () => this.#sendProgressRequest())
  }

  /** Handles a stream that broke, or that never accepted the watch. */
  #handleBrokenStream(error: unknown): void {
    if (this.#isEnded) return
    // A stream ends without an error if its server is stopping.
    this.#handleFailure(error === undefined ? readCancellation('etcd stopped answering') : readFailure(error))
  }

  #handleFailure(failure: CallFailure): void {
    const { servers, clock } = this.#options
    if (!failure.transient) {
      this.stop(toBackendError(failure, { at: this.#position }))
      return
    }
    if (this.#endpoint) servers.markFailed(this.#endpoint)
    this.#closeStream()
    this.#cancelTimer = clock.after(this.#pause * (0.5 + Math.random() / 2), () => void this.#connect(), { keepAlive: true })
    this.#pause = Math.min(this.#pause * 2, maxPause)
  }

  #closeStream(): void {
    this.#isAccepted = false
    this.#endpoint = undefined
    this.#cancelTimer?.()
    this.#cancelProgressTimer?.()
    this.#cancelProgressTimer = undefined
    this.#stream?.close()
    this.#stream = undefined
    this.#collector.reset()
  }
}
