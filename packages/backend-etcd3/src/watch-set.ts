import { WatchQueue, type KeyRange, type Revision, type WatchMessage } from '@keelson/storagebackend'
import type { Settings } from './etcd3-options.ts'
import type { KnownRevisions } from './known-revisions.ts'
import { ResumingWatch } from './resuming-watch.ts'
import type { Servers } from './servers.ts'

export interface WatchSetOptions {
  readonly settings: Settings
  readonly servers: Servers
  readonly knownRevisions: KnownRevisions
  readonly getCurrentRevision: () => Promise<Revision>
}

/** All watches of a backend. Requests their progress, and ends all of them when the backend stops. */
export class WatchSet {
  readonly #options: WatchSetOptions
  readonly #watches = new Set<ResumingWatch>()
  #stopped: Error | undefined
  #cancelTimer: (() => void) | undefined
  #pendingRequest: Promise<void> | undefined
  #nextRequest: Promise<void> | undefined

  constructor(options: WatchSetOptions) {
    this.#options = options
  }

  /** Opens a watch. It starts immediately instead of at the first read, because etcd could compact the history in between. */
  watch(range: KeyRange, after: Revision, signal: AbortSignal): AsyncIterable<WatchMessage> {
    const { settings, servers, knownRevisions } = this.#options
    const { clock, callTimeout } = settings
    let watch: ResumingWatch | undefined
    const onEnd = (): void => {
      if (!watch) return
      watch.stop()
      this.#watches.delete(watch)
    }
    const queue = new WatchQueue({ range, after, limits: settings.watchQueue, signal, onEnd })
    if (this.#stopped) queue.end(this.#stopped)
    if (queue.ended) return queue
    watch = new ResumingWatch({ servers, knownRevisions, clock, queue, range, after, callTimeout })
    this.#watches.add(watch)
    this.#startTimer()
    return queue
  }

  /**
   * Reads the current revision and requests the progress of all watches up to it. Calls during that read share the next request. Otherwise, they
   * could get a revision from before their own write.
   */
  requestProgress(): Promise<void> {
    if (!this.#pendingRequest) {
      this.#pendingRequest = this.#requestAll().finally(() => {
        this.#pendingRequest = undefined
      })
      return this.#pendingRequest
    }
    this.#nextRequest ??= this.#pendingRequest
      .catch(() => {})
      .then(() => {
        this.#nextRequest = undefined
        return this.requestProgress()
      })
    return this.#nextRequest
  }

  stop(error: Error): void {
    this.#stopped = error
    this.#cancelTimer?.()
    for (const watch of this.#watches) watch.stop(error)
  }

  async #requestAll(): Promise<void> {
    if (this.#stopped) throw this.#stopped
    const revision = await this.#options.getCurrentRevision()
    for (const watch of this.#watches) watch.requestProgress(revision)
  }

  #startTimer(): void {
    if (this.#cancelTimer) return
    const { clock, progressInterval } = this.#options.settings
    const onTimer = (): void => {
      this.#cancelTimer = undefined
      for (const watch of this.#watches) watch.requestProgressIfIdle()
      if (this.#watches.size > 0) this.#startTimer()
    }
    this.#cancelTimer = clock.after(progressInterval, onTimer)
  }
}
