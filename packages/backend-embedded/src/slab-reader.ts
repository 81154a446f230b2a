const slabBytes = 64 * 1024
const minSeparateBytes = slabBytes / 4

/**
 * Copies values out of LMDB's volatile buffer. Small values share slabs, because a separate ArrayBuffer for each record would take most of the time to
 * open a large store. A slab is small, so that a few long-lived records keep little memory alive.
 */
export class SlabReader {
  #slab: Buffer = Buffer.alloc(0)
  #used = 0

  encode(value: Uint8Array): Uint8Array {
    return value
  }

  decode(volatile: Uint8Array, size: number): Uint8Array {
    if (size >= minSeparateBytes) return Uint8Array.prototype.slice.call(volatile, 0, size)
    if (this.#used + size > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes)
      this.#used = 0
    }
    const start = this.#used
    this.#used += size
    // lmdb defines its own `volatile.length`. Methods of Buffer may use it; methods of Uint8Array read the real length.
    this.#slab.set(Uint8Array.prototype.subarray.call(volatile, 0, size), start)
    return this.#slab.subarray(start, this.#used)
  }
}
