import type { Clock } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { DigestComparison } from './digest.ts'
import type { ResourceCacheMetrics } from './watch-cache-metrics.ts'

export interface ConsistencyCheckOptions {
  readonly clock: Clock
  /**
   * The interval between two comparisons, in milliseconds. Up to half of it is added at random, so that the caches of one process do not
   * compare at the same time. 0 disables comparisons.
   */
  readonly period: number
  /** Returns a random number from 0 to 1. */
  readonly random: () => number
  /** Compares the cache with the store. Returns undefined if that is not possible now. */
  readonly compare: () => Promise<DigestComparison> | undefined
  readonly onError?: ((error: unknown) => void) | undefined
  readonly metrics?: ResourceCacheMetrics | undefined
}

/** Compares a cache with its store periodically, and reports a difference as an error. */
export class ConsistencyCheck {
  readonly #options: ConsistencyCheckOptions
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(options: ConsistencyCheckOptions) {
    this.#options = options
    this.#plan()
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  #plan(): void {
    const { clock, period, random } = this.#options
    if (period === 0 || this.#stopped) return
    this.#cancel = clock.after(period * (1 + random() / 2), () => void this.#check().then(() => this.#plan()))
  }

  async #check(): Promise<void> {
    const { compare, metrics, onError } = this.#options
    try {
      const result = await compare()
      if (result === undefined) return
      metrics?.countComparison(result.equal ? 'success' : 'failure')
      if (!result.equal) onError?.(new Error(`the cache differs from its store at ${result.firstDifference}, revision ${result.revision}`))
    } catch (error) {
      if (this.#stopped) return
      metrics?.countComparison('error')
      // Ignore this error: the store has compacted the cache's revision, so the states cannot be compared.
      if (!isStorageError(error, 'ResourceVersionTooOld')) onError?.(error)
    }
  }
}
