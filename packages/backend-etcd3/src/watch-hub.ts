import type { KeyRange, Revision, WatchMessage } from '@keelson/storagebackend'
import type { Settings } from './etcd3-options.ts'
import type { KnownRevisions } from './known-revisions.ts'
import { ResumingWatch } from './resuming-watch.ts'
import type { Servers } from './servers.ts'
import { WatchQueue } from './watch-queue.ts'

export interface WatchHubOptions {
  readonly settings: Settings
  readonly servers: Servers
  readonly known: KnownRevisions
  readonly currentRevision: () => Promise<Revision>
}

/** All watches of a backend: what ends them together, and what asks them all for progress. */
export class WatchHub {
  readonly #options: WatchHubOptions
  readonly #watches = new Set<ResumingWatch>()
  #stopped: Error | undefined
  #cancelReminder: (() => void) | undefined
  #asking: Promise<void> | undefined
  #askingNext: Promise<void> | undefined

  constructor(options: WatchHubOptions) {
    this.#options = options
  }

  /** Opened at once, not when it is first read: until then history may be compacted away. */
  watch(range: KeyRange, after: Revision, signal: AbortSignal): AsyncIterable<WatchMessage> {
    const { settings, servers, known } = this.#options
    const { clock, callTimeout } = settings
    const queue = new WatchQueue(settings.watchQueue)
    if (signal.aborted || this.#stopped) {
      queue.end(signal.aborted ? undefined : this.#stopped)
      return read(queue, () => {})
    }
    const watch = new ResumingWatch({ servers, known, clock, queue, range, after, callTimeout })
    const leave = (): void => {
      watch.stop()
      this.#watches.delete(watch)
      signal.removeEventListener('abort', leave)
    }
    signal.addEventListener('abort', leave)
    this.#watches.add(watch)
    this.#startReminder()
    return read(queue, leave)
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
    this.#watches.clear()
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

async function* read(queue: WatchQueue, leave: () => void): AsyncGenerator<WatchMessage> {
  try {
    for (;;) {
      const message = queue.take()
      if (message) yield message
      else if (queue.ended) return
      else await queue.ready()
    }
  } finally {
    leave()
  }
}
