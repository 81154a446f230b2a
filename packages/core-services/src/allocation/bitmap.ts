/**
 * A set of allocated numbers. Its stored form is kube-apiserver's: a big-endian integer without leading zeros, in which bit n stands for
 * number n. In memory, the lowest byte comes first.
 */
export class Bitmap {
  #bytes: Uint8Array
  #count = 0

  constructor(size: number) {
    this.#bytes = new Uint8Array(Math.ceil(size / 8))
  }

  /** Decodes a bitmap. Bits beyond `size` are ignored. */
  static from(base64: string, size: number): Bitmap {
    const bitmap = new Bitmap(size)
    const bytes = Buffer.from(base64, 'base64').reverse()
    for (let n = 0; n < Math.min(size, bytes.length * 8); n++) if ((bytes[n >> 3]! >> (n & 7)) & 1) bitmap.add(n)
    return bitmap
  }

  get count(): number {
    return this.#count
  }

  has(n: number): boolean {
    return ((this.#bytes[n >> 3] ?? 0) >> (n & 7)) % 2 === 1
  }

  /** Adds a number. Returns false if it is already in the set. */
  add(n: number): boolean {
    if (this.has(n)) return false
    this.#bytes[n >> 3] = this.#bytes[n >> 3]! | (1 << (n & 7))
    this.#count++
    return true
  }

  delete(n: number): void {
    if (!this.has(n)) return
    this.#bytes[n >> 3] = this.#bytes[n >> 3]! & ~(1 << (n & 7))
    this.#count--
  }

  *[Symbol.iterator](): Generator<number> {
    for (let n = 0; n < this.#bytes.length * 8; n++) if (this.has(n)) yield n
  }

  toBase64(): string {
    const bytes = Buffer.from(this.#bytes).reverse()
    const first = bytes.findIndex((byte) => byte !== 0)
    return first < 0 ? '' : bytes.subarray(first).toString('base64')
  }
}
