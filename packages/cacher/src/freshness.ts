import type { Clock } from '@keelson/apimachinery'
import type { Revision } from '@keelson/storagebackend'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'

interface Waiter {
  readonly revision: Revision
  readonly resolve: () => void
}

export interface FreshnessOptions {
  readonly clock: Clock
  /** Makes the store send progress on its watches soon. */
  readonly requestProgress?: (() => Promise<void>) | undefined
  readonly metrics?: ResourceCacheMetrics | undefined
}

const progressPeriod = 100

/**
 * The revision up to which the cache has every change. Requests can wait until the cache has a newer revision. While any request waits, the
 * store is asked for progress at once and then every 100 ms. Without progress the cache would get no newer revision while only other
 * resources change.
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

  /** Sets the revision. An older revision is ignored. */
  advance(revision: Revision): void {
    if (revision <= this.#revision) return
    this.#revision = revision
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.resolve()
  }

  /** Resolves to true when the cache has `revision`. Resolves to false after `milliseconds`, or when the signal aborts. */
  async wait(revision: Revision, milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    const start = this.#clock.now()
    if (revision > this.#revision && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          cancel()
          this.#waiters.delete(waiter)
          signal?.removeEventListener('abort', finish)
          resolve()
        }
        const waiter: Waiter = { revision, resolve: finish }
        const cancel = this.#clock.after(milliseconds, finish)
        this.#waiters.add(waiter)
        signal?.addEventListener('abort', finish)
        this.#requestNow()
      })
    }
    if (revision > 0) this.#metrics?.recordWait((this.#clock.now() - start) / 1000)
    return revision <= this.#revision
  }

  /** Ends all waits. Their promises resolve to false. */
  release(): void {
    for (const waiter of this.#waiters) waiter.resolve()
  }

  /**
   * Asks the store for progress at once. Each new waiter causes a request, because the response to an earlier request may have an older
   * revision.
   */
  #requestNow(): void {
    this.#askAgain = this.#asking
    if (this.#asking || this.#requestProgress === undefined) return
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#asking = true
    const settleWaiters = (): void => {
      this.#asking = false
      if (this.#waiters.size === 0) return
      if (this.#askAgain) this.#requestNow()
      else this.#cancelTimer = this.#clock.after(progressPeriod, () => this.#requestNow())
    }
    // Errors are ignored. If no progress arrives, the requests end by their timeouts.
    this.#requestProgress().then(settleWaiters, settleWaiters)
  }
}
