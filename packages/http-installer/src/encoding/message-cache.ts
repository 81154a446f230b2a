import type { StoredObject } from '@keelson/storagebackend'

interface Kept {
  readonly revision: number
  readonly message: Uint8Array
  /** When it was last requested. */
  asked: number
}

/**
 * Caches objects of one kind in the encoding that the store does not hold, up to a number of bytes. Without room it drops entries that were not requested
 * for a minute; if there are none, it does not keep the new one. So a list of more objects than fit still finds as many as fit, instead of none.
 */
export class MessageCache {
  readonly #budget: number
  readonly #now: () => number
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  /** `now` in milliseconds. */
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
    kept.asked = this.#now()
    return kept.message
  }

  offer(object: StoredObject, message: Uint8Array): void {
    const { key, revision } = object
    const known = this.#kept.get(key)
    // A past state of the object (an exact list, a page) does not replace the newest.
    if (known !== undefined && known.revision >= revision) return
    if (known !== undefined) this.#remove(key, known)
    if (!this.#makeRoom(message.length + overhead)) return
    this.#kept.set(key, { revision, message, asked: this.#now() })
    this.#bytes += message.length + overhead
  }

  #makeRoom(length: number): boolean {
    const since = this.#now() - idleMs
    for (let looks = 0; looks < maxLooks && this.#bytes + length > this.#budget; looks++) {
      const oldest = this.#kept.entries().next().value
      if (oldest === undefined) break
      const [key, kept] = oldest
      if (kept.asked < since) this.#remove(key, kept)
      else {
        // So that others are checked first the next time.
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
/** The approximate size of an entry itself. */
const overhead = 200
/** How many of the oldest entries are checked for room. */
const maxLooks = 4
