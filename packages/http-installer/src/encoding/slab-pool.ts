/**
 * Reused buffers of one size that responses are written into; they contain old bytes. A taken buffer belongs to its taker until `release`. One that is
 * never released is only lost.
 */
export class SlabPool {
  readonly size: number
  readonly #kept: number
  readonly #free: Buffer[] = []

  constructor(size: number, kept: number) {
    this.size = size
    this.#kept = kept
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.size)
  }

  /** Not before the socket is done with the bytes: the next answer is written over them. */
  release(slab: Buffer): void {
    if (this.#free.length < this.#kept) this.#free.push(slab)
  }
}

/** One object each. */
export const objectSlabs: SlabPool = new SlabPool(64 * 1024, 64)
/** Pieces of lists. Each costs a turn of the socket, so larger ones are cheaper, up to what the processor's cache holds. */
export const listSlabs: SlabPool = new SlabPool(256 * 1024, 32)
