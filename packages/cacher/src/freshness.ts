import type { Clock } from '@keelson/apimachinery'
import type { Revision } from '@keelson/storagebackend'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'

interface Waiter {
  readonly revision: Revision
  readonly done: () => void
}

export interface FreshnessOptions {
  readonly clock: Clock
  /** Asks the store to tell soon how far its watches are. */
  readonly requestProgress?: (() => Promise<void>) | undefined
  readonly metrics?: ResourceCacheMetrics | undefined
}

const progressPeriod = 100

/**
 * The revision up to which the cache knows everything, and those who wait for it to get further. While someone waits, progress
 * is asked for at once and then every 100 ms: a store whose other resources change, but not this one, has nothing else to send.
 */
export class Freshness {
  readonly #clock: Clock
  readonly #requestProgress: (() => Promise<void>) | undefined
  readonly #metrics: ResourceCacheMetrics | undefined
  readonly #waiters = new Set<Waiter>()
  #revision: Revision = 0
  #asking = false
  #askAgain = false
  #cancelTimer: (() => void) | undefined

  constructor(options: FreshnessOptions) {
    this.#clock = options.clock
    this.#requestProgress = options.requestProgress
    this.#metrics = options.metrics
  }

  get revision(): Revision {
    return this.#revision
  }

  /** Never goes back. */
  advance(revision: Revision): void {
    if (revision <= this.#revision) return
    this.#revision = revision
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.done()
  }

  /** Resolves as soon as `revision` is reached, or after `milliseconds`, or on abort; says whether it is reached. */
  async wait(revision: Revision, milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    const start = this.#clock.now()
    if (revision > this.#revision && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          cancel()
          this.#waiters.delete(waiter)
          signal?.removeEventListener('abort', done)
          resolve()
        }
        const waiter: Waiter = { revision, done }
        const cancel = this.#clock.after(milliseconds, done)
        this.#waiters.add(waiter)
        signal?.addEventListener('abort', done)
        this.#ask()
      })
    }
    if (revision > 0) this.#metrics?.waited((this.#clock.now() - start) / 1000)
    return revision <= this.#revision
  }

  /** Lets everyone who waits go, with what there is. */
  release(): void {
    for (const waiter of this.#waiters) waiter.done()
  }

  /** An answer to a question asked before someone came may be too old for them, so every newcomer makes it asked again. */
  #ask(): void {
    this.#askAgain = this.#asking
    if (this.#asking || this.#requestProgress === undefined) return
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#asking = true
    const asked = (): void => {
      this.#asking = false
      if (this.#waiters.size === 0) return
      if (this.#askAgain) this.#ask()
      else this.#cancelTimer = this.#clock.after(progressPeriod, () => this.#ask())
    }
    // A failure only means that nothing comes of it; the wait has its own end.
    this.#requestProgress().then(asked, asked)
  }
}
