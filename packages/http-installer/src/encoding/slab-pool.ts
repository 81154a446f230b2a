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

  /** Call only after the socket is done with the bytes: the next response overwrites them. */
  release(slab: Buffer): void {
    if (this.#free.length < this.#kept) this.#free.push(slab)
  }
}

/** Slabs for single objects. */
export const objectSlabs: SlabPool = new SlabPool(64 * 1024, 64)
/** Slabs for lists. Each costs one write, so larger ones are cheaper, up to the size of the processor's cache. */
export const listSlabs: SlabPool = new SlabPool(256 * 1024, 32)
