import type { StoredObject } from '@keelson/storagebackend'

interface Kept {
  readonly revision: number
  readonly message: Uint8Array
  /** Time of the last request for the entry. */
  requestedAt: number
}

/**
 * Cache of encoded objects of one kind, in an encoding that the store does not have. Its size in bytes is limited. If a new entry does not
 * fit, entries that were not requested for a minute are removed. If there are none, the new entry is not kept. So a list that exceeds the
 * limit still finds as many entries as fit.
 */
export class MessageCache {
  readonly #budget: number
  readonly #now: () => number
  readonly #entries = new Map<string, Kept>()
  #bytes = 0

  /** Creates an empty cache for up to `budget` bytes. `now` returns the time in milliseconds. */
  constructor(budget: number, now: () => number) {
    this.#budget = budget
    this.#now = now
  }

  get bytes(): number {
    return this.#bytes
  }

  get(object: StoredObject): Uint8Array | undefined {
    const entry = this.#entries.get(object.key)
    if (entry?.revision !== object.revision) return undefined
    entry.requestedAt = this.#now()
    return entry.message
  }

  offer(object: StoredObject, message: Uint8Array): void {
    const { key, revision } = object
    const current = this.#entries.get(key)
    // Keeps the newest state of an object: a list at an old revision may offer an older one.
    if (current !== undefined && current.revision >= revision) return
    if (current !== undefined) this.#remove(key, current)
    if (!this.#makeRoom(message.length + overhead)) return
    this.#entries.set(key, { revision, message, requestedAt: this.#now() })
    this.#bytes += message.length + overhead
  }

  #makeRoom(length: number): boolean {
    const idleSince = this.#now() - idleMs
    for (let looks = 0; looks < maxChecked && this.#bytes + length > this.#budget; looks++) {
      const oldest = this.#entries.entries().next().value
      if (oldest === undefined) break
      const [key, entry] = oldest
      if (entry.requestedAt < idleSince) this.#remove(key, entry)
      else {
        // Moves the entry to the end, so that the next call checks other entries first.
        this.#entries.delete(key)
        this.#entries.set(key, entry)
      }
    }
    return this.#bytes + length <= this.#budget
  }

  #remove(key: string, { message }: Kept): void {
    this.#entries.delete(key)
    this.#bytes -= message.length + overhead
  }
}

const idleMs = 60_000
/** Approximate memory of an entry in bytes, without the encoded object. */
const overhead = 200
/** Number of oldest entries that one call checks for expiry. */
const maxChecked = 4
