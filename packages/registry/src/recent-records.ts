/** Of stored values and their records together, in bytes. They are wanted again within milliseconds: this is what is in flight, with much to spare. */
const defaultLimit = 2 * 1024 * 1024

interface Recent {
  readonly maker: object
  readonly value: Uint8Array
  readonly record: Uint8Array
}

/**
 * What stored values were turned into lately, one for each key. A write's value is opened up to three times, to see whether it changes
 * anything, for who wrote it, and when the watch brings it, in any order: it need be decoded only once. A record depends on the value's
 * bytes, on its key and on who made it, and on nothing else.
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
    // The oldest first.
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
