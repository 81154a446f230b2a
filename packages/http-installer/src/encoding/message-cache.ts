import type { StoredObject } from '@keelson/storagebackend'

interface Kept {
  readonly revision: number
  readonly message: Uint8Array
  /** The time of the last request. */
  requestedAt: number
}

/**
 * Caches objects of one kind in an encoding that the store does not have, up to a number of bytes. If the budget is used up, it drops entries that were not
 * requested for a minute. If there are none, it does not keep the new entry, so a list that exceeds the budget still finds as many entries as fit.
 */
export class MessageCache {
  readonly #budget: number
  readonly #now: () => number
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  /** Creates a cache for up to `budget` bytes. `now` returns milliseconds. */
  constructor(budget: number, now: () => number) {
    this.#budget = budget
    this.#now = now
  }

  get bytes(): number {
    return this.#bytes
  }

  get(object: StoredObject): Uint8Array | undefined {
    const kept = this.#kept.get(object.key)
    if (kept?.revision !== object.revision) return undefined
    kept.requestedAt = this.#now()
    return kept.message
  }

  offer(object: StoredObject, message: Uint8Array): void {
    const { key, revision } = object
    const known = this.#kept.get(key)
    // A past state of the object (an exact list, a page) does not replace the newest.
    if (known !== undefined && known.revision >= revision) return
    if (known !== undefined) this.#remove(key, known)
    if (!this.#makeRoom(message.length + overhead)) return
    this.#kept.set(key, { revision, message, requestedAt: this.#now() })
    this.#bytes += message.length + overhead
  }

  #makeRoom(length: number): boolean {
    const since = this.#now() - idleMs
    for (let looks = 0; looks < maxChecked && this.#bytes + length > this.#budget; looks++) {
      const oldest = this.#kept.entries().next().value
      if (oldest === undefined) break
      const [key, kept] = oldest
      if (kept.requestedAt < since) this.#remove(key, kept)
      else {
        // Moved to the end, so that the next call checks other entries first.
        this.#kept.delete(key)
        this.#kept.set(key, kept)
      }
    }
    return this.#bytes + length <= this.#budget
  }

  #remove(key: string, { message }: Kept): void {
    this.#kept.delete(key)
    this.#bytes -= message.length + overhead
  }
}

const idleMs = 60_000
/** The approximate memory of an entry without its bytes. */
const overhead = 200
/** The number of oldest entries that are checked for expiry. */
const maxChecked = 4
