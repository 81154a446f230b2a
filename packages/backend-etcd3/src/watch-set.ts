import { WatchQueue, type KeyRange, type Revision, type WatchMessage } from '@keelson/storagebackend'
import type { Settings } from './etcd3-options.ts'
import type { KnownRevisions } from './known-revisions.ts'
import { ResumingWatch } from './resuming-watch.ts'
import type { Servers } from './servers.ts'

export interface WatchSetOptions {
  readonly settings: Settings
  readonly servers: Servers
  readonly known: KnownRevisions
  readonly currentRevision: () => Promise<Revision>
}

/** All watches of a backend: what ends them together, and what asks them all for progress. */
export class WatchSet {
  readonly #options: WatchSetOptions
  readonly #watches = new Set<ResumingWatch>()
  #stopped: Error | undefined
  #cancelReminder: (() => void) | undefined
  #asking: Promise<void> | undefined
  #askingNext: Promise<void> | undefined

  constructor(options: WatchSetOptions) {
    this.#options = options
  }

  /** Opened at once, not when it is first read: until then history may be compacted away. */
  watch(range: KeyRange, after: Revision, signal: AbortSignal): AsyncIterable<WatchMessage> {
    const { settings, servers, known } = this.#options
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
    watch = new ResumingWatch({ servers, known, clock, queue, range, after, callTimeout })
    this.#watches.add(watch)
    this.#startReminder()
    return queue
  }

  /**
   * The revision that progress must reach is read first. Callers who come while that is read share the next reading, for this one may
   * have begun before what they want to see.
   */
  requestProgress(): Promise<void> {
    if (!this.#asking) {
      this.#asking = this.#askAll().finally(() => {
        this.#asking = undefined
      })
      return this.#asking
    }
    this.#askingNext ??= this.#asking
      .catch(() => {})
      .then(() => {
        this.#askingNext = undefined
        return this.requestProgress()
      })
    return this.#askingNext
  }

  stop(error: Error): void {
    this.#stopped = error
    this.#cancelReminder?.()
    for (const watch of this.#watches) watch.stop(error)
  }

  async #askAll(): Promise<void> {
    if (this.#stopped) throw this.#stopped
    const revision = await this.#options.currentRevision()
    for (const watch of this.#watches) watch.requestProgress(revision)
  }

  #startReminder(): void {
    if (this.#cancelReminder) return
    const { clock, progressInterval } = this.#options.settings
    const again = (): void => {
      this.#cancelReminder = undefined
      for (const watch of this.#watches) watch.remind()
      if (this.#watches.size > 0) this.#startReminder()
    }
    this.#cancelReminder = clock.after(progressInterval, again)
  }
}
