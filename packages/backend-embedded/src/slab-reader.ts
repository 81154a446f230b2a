const slabBytes = 64 * 1024
const ownBuffer = slabBytes / 4

/**
 * Reads values out of LMDB's volatile buffer. Small ones share slabs, for an ArrayBuffer of its own for every record is most of the time
 * that opening a large store would take; a slab is small enough that the few records that outlive the rest keep little of it.
 */
export class SlabReader {
  #slab: Buffer = Buffer.alloc(0)
  #used = 0

  encode(value: Uint8Array): Uint8Array {
    return value
  }

  decode(volatile: Uint8Array, size: number): Uint8Array {
    if (size >= ownBuffer) return Uint8Array.prototype.slice.call(volatile, 0, size)
    if (this.#used + size > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes)
      this.#used = 0
    }
    const start = this.#used
    this.#used += size
    // lmdb overwrites `volatile.length` with a property of its own. Methods of Buffer may believe it; those of Uint8Array read the real length.
    this.#slab.set(Uint8Array.prototype.subarray.call(volatile, 0, size), start)
    return this.#slab.subarray(start, this.#used)
  }
}
