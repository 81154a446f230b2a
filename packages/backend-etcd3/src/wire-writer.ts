/** Writes a protobuf message from its end to its beginning, so that the length of what is inside is known when it is to be written. */
export class WireWriter {
  #bytes: Buffer
  #at: number

  /** `size`: about how large it will be. */
  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size)
    this.#at = size
  }

  /** Where a message inside ends, for `close`. */
  mark(): number {
    return this.#bytes.length - this.#at
  }

  /** The message inside, from here to the mark, is whole. */
  close(field: number, mark: number): void {
    this.#varint(this.mark() - mark)
    this.#varint(field * 8 + 2)
  }

  bytes(field: number, value: Uint8Array): void {
    this.#room(value.length)
    this.#at -= value.length
    this.#bytes.set(value, this.#at)
    this.#varint(value.length)
    this.#varint(field * 8 + 2)
  }

  /** A safe integer that is not negative. */
  integer(field: number, value: number): void {
    this.#varint(value)
    this.#varint(field * 8)
  }

  finish(): Buffer {
    return this.#bytes.subarray(this.#at)
  }

  #varint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${value} is no integer that can be sent`)
    let size = 1
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++
    this.#room(size)
    this.#at -= size
    let at = this.#at
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[at++] = (rest % 128) | 0x80
    this.#bytes[at] = rest
  }

  #room(size: number): void {
    if (size <= this.#at) return
    const written = this.finish()
    const larger = Buffer.allocUnsafe(2 * (written.length + size))
    this.#at = larger.length - written.length
    larger.set(written, this.#at)
    this.#bytes = larger
  }
}
