import type { Clock } from '@keelson/apimachinery'

/** An LRU cache of at most `maxEntries` values, each with its own time to live. */
export class ExpiringCache<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly expires: number }>()
  readonly #maxEntries: number
  readonly #clock: Clock

  constructor(maxEntries: number, clock: Clock) {
    this.#maxEntries = maxEntries
    this.#clock = clock
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    if (entry.expires <= this.#clock.now()) return undefined
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Stores a value for `ttlMs` milliseconds. 0 stores nothing. */
  set(key: string, value: V, ttlMs: number): void {
    if (ttlMs <= 0) return
    this.#entries.delete(key)
    this.#entries.set(key, { value, expires: this.#clock.now() + ttlMs })
    if (this.#entries.size > this.#maxEntries) this.#entries.delete(this.#entries.keys().next().value!)
  }
}
