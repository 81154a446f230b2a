import { TokenBucket } from '@keelson/apimachinery'
import type { EventLimit } from './configuration.ts'

const defaultCacheSize = 4096

/** The buckets of one limit by key. If there are too many, the least recently used one is dropped: its key then starts with a full one. */
export class Buckets {
  readonly #limit: EventLimit
  readonly #capacity: number
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(limit: EventLimit) {
    this.#limit = limit
    this.#capacity = limit.cacheSize === 0 || limit.type === 'Server' ? defaultCacheSize : limit.cacheSize
  }

  /** Takes a token of a key. Returns false if its bucket is empty. `now` is in milliseconds. */
  take(key: string, now: number): boolean {
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#limit, now)
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > this.#capacity) this.#buckets.delete(this.#buckets.keys().next().value!)
    return bucket.take(now)
  }
}
