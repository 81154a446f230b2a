/** Limit for stored values and their records together, in bytes. They are used again within milliseconds: this is plenty for the writes in flight. */
const defaultLimit = 2 * 1024 * 1024

interface Recent {
  readonly maker: object
  readonly value: Uint8Array
  readonly record: Uint8Array
}

/**
 * The records of recently opened values, one for each key. The value of a write is opened up to three times, in any order: to see whether it
 * changes anything, for the writer, and for the watch. This way it is decoded once. A record depends only on the value's bytes, its key and
 * the codec that created it.
 */
export class RecentRecords {
  readonly #byKey = new Map<string, Recent>()
  readonly #limit: number
  #bytes = 0

  constructor(limit: number = defaultLimit) {
    this.#limit = limit
  }

  get(maker: object, key: string, value: Uint8Array): Uint8Array | undefined {
    const recent = this.#byKey.get(key)
    return recent !== undefined && recent.maker === maker && Buffer.compare(recent.value, value) === 0 ? recent.record : undefined
  }

  set(maker: object, key: string, value: Uint8Array, record: Uint8Array): void {
    this.#remove(key)
    this.#byKey.set(key, { maker, value, record })
    this.#bytes += value.length + record.length
    if (this.#bytes <= this.#limit) return
    // Oldest first.
    for (const oldest of this.#byKey.keys()) {
      this.#remove(oldest)
      if (this.#bytes <= this.#limit) return
    }
  }

  #remove(key: string): void {
    const recent = this.#byKey.get(key)
    if (recent === undefined) return
    this.#byKey.delete(key)
    this.#bytes -= recent.value.length + recent.record.length
  }
}
