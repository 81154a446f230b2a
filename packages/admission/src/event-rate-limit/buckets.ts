import type { EventLimit } from './configuration.ts'

const defaultCacheSize = 4096

/** A token bucket, which starts full. */
interface Bucket {
  tokens: number
  /** Time of the last change, in milliseconds. */
  at: number
}

/** The buckets of one limit by key. If there are too many, the least recently used one is dropped: its key then starts with a full one. */
export class Buckets {
  readonly #limit: EventLimit
  readonly #capacity: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(limit: EventLimit) {
    this.#limit = limit
    this.#capacity = limit.cacheSize === 0 || limit.type === 'Server' ? defaultCacheSize : limit.cacheSize
  }

  /** Takes a token of a key. Returns false if its bucket is empty. `now` is in milliseconds. */
  take(key: string, now: number): boolean {
    const { qps, burst } = this.#limit
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now }
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > this.#capacity) this.#buckets.delete(this.#buckets.keys().next().value!)
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) * qps) / 1000)
    bucket.at = now
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
}
