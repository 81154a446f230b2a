/** Writes a protobuf message from its last byte to its first. The length of a nested message is then known when it is written. */
export class WireWriter {
  #bytes: Buffer
  #at: number

  /** Creates a writer. `size` is an estimate of the message's size in bytes. */
  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size)
    this.#at = size
  }

  /** Returns a mark for the end of a nested message, to pass to `close`. */
  mark(): number {
    return this.#bytes.length - this.#at
  }

  /** Completes the nested message that ends at the mark: writes its length and its tag. */
  close(field: number, mark: number): void {
    this.#writeVarint(this.mark() - mark)
    this.#writeVarint(field * 8 + 2)
  }

  bytes(field: number, value: Uint8Array): void {
    this.#reserveRoom(value.length)
    this.#at -= value.length
    this.#bytes.set(value, this.#at)
    this.#writeVarint(value.length)
    this.#writeVarint(field * 8 + 2)
  }

  /** Writes an integer field. The value must be a non-negative safe integer. */
  integer(field: number, value: number): void {
    this.#writeVarint(value)
    this.#writeVarint(field * 8)
  }

  /** Writes an int64 field. */
  int64(field: number, value: bigint): void {
    let size = 0
    const encoded = Buffer.allocUnsafe(10)
    let remaining = BigInt.asUintN(64, value)
    for (; remaining >= 128n; remaining >>= 7n) encoded[size++] = Number(remaining & 127n) | 128
    encoded[size++] = Number(remaining)
    this.#reserveRoom(size)
    this.#at -= size
    this.#bytes.set(encoded.subarray(0, size), this.#at)
    this.#writeVarint(field * 8)
  }

  finish(): Buffer {
    return this.#bytes.subarray(this.#at)
  }

  #writeVarint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(`cannot send ${value}: it is not a non-negative safe integer`)
    let size = 1
    for (let remaining = value; remaining >= 128; remaining = Math.floor(remaining / 128)) size++
    this.#reserveRoom(size)
    this.#at -= size
    let at = this.#at
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[at++] = (rest % 128) | 0x80
    this.#bytes[at] = rest
  }

  #reserveRoom(size: number): void {
    if (size <= this.#at) return
    const written = this.finish()
    const larger = Buffer.allocUnsafe(2 * (written.length + size))
    this.#at = larger.length - written.length
    larger.set(written, this.#at)
    this.#bytes = larger
  }
}
