import type { StoredObject } from '@keelson/storagebackend'

interface Kept {
  readonly revision: number
  readonly message: Uint8Array
  /** When it was last asked for. */
  asked: number
}

/**
 * Objects of one kind in the form that the store does not hold, up to a number of bytes. When there is no room, what nobody has asked for in a
 * minute goes, and where there is none such, what is new is not kept. So walks over more objects than fit find as many of them as fit, instead
 * of none.
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
    // A past state of the object (an exact list, a page) is no reason to forget the newest.
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
        // Others come first the next time.
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
/** Of an entry itself, about. */
const overhead = 200
/** At how many of the oldest it looks for room. */
const maxLooks = 4
