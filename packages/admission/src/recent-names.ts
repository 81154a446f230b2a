import type { Clock } from '@keelson/apimachinery'

/** Set of recently added names with a limited size. If it is full, the oldest names are dropped. */
export class RecentNames {
  readonly #options: { readonly capacity: number; readonly ttl: number; readonly clock: Clock }
  readonly #until = new Map<string, number>()

  constructor(options: { readonly capacity: number; readonly ttl: number; readonly clock: Clock }) {
    this.#options = options
  }

  add(name: string): void {
    const { capacity, ttl, clock } = this.#options
    this.#until.delete(name)
    this.#until.set(name, clock.now() + ttl)
    for (const oldest of this.#until.keys()) {
      if (this.#until.size <= capacity) break
      this.#until.delete(oldest)
    }
  }

  has(name: string): boolean {
    const until = this.#until.get(name)
    if (until === undefined) return false
    if (until > this.#options.clock.now()) return true
    this.#until.delete(name)
    return false
  }
}
