const truncatedMessage = 'the message is truncated'
const unterminatedInteger = 'an integer is not terminated'

/**
 * Reads a protobuf message field by field. Skips fields that the caller does not read:
 *
 *     for (let field = reader.next(); field !== 0; field = reader.next())
 *       if (field === 3) revision = reader.integer()
 */
export class WireReader {
  readonly #bytes: Buffer
  readonly #end: number
  #at: number
  /** Wire type of the current field; −1 after the field was read. */
  #type = -1

  constructor(bytes: Buffer, start: number = 0, end: number = bytes.length) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  /** Moves to the next field and returns its number. Returns 0 at the end of the message. */
  next(): number {
    if (this.#type !== -1) this.#skip()
    if (this.#at === this.#end) return 0
    const tag = this.#readVarint()
    this.#type = tag & 7
    return tag >>> 3
  }

  /** Reads an int64 as a number. An integer outside the safe range is inexact, but stays outside that range. */
  integer(): number {
    this.#take(0)
    return this.#readVarint()
  }

  /** Reads an int64 exactly. */
  int64(): bigint {
    this.#take(0)
    const start = this.#at
    this.#passVarint()
    return decodeSigned(this.#bytes.subarray(start, this.#at))
  }

  flag(): boolean {
    return this.integer() !== 0
  }

  /** Returns the bytes of a field as a view of the message, without copying them. */
  bytes(): Buffer {
    const start = this.#readLength()
    return this.#bytes.subarray(start, this.#at)
  }

  text(): string {
    const start = this.#readLength()
    return this.#bytes.toString('utf8', start, this.#at)
  }

  message(): WireReader {
    const start = this.#readLength()
    return new WireReader(this.#bytes, start, this.#at)
  }

  #take(type: number): void {
    if (this.#type !== type) throw new Error(`a field has wire type ${this.#type}, expected ${type}`)
    this.#type = -1
  }

  /** Skips a length-delimited field and returns the offset of its content. */
  #readLength(): number {
    this.#take(2)
    const length = this.#readVarint()
    const start = this.#at
    this.#forward(length)
    return start
  }

  #skip(): void {
    const type = this.#type
    this.#type = -1
    if (type === 0) this.#passVarint()
    else if (type === 1) this.#forward(8)
    else if (type === 2) this.#forward(this.#readVarint())
    else if (type === 5) this.#forward(4)
    else throw new Error(`unknown wire type ${type}`)
  }

  #forward(length: number): void {
    if (!(length >= 0 && length <= this.#end - this.#at)) throw new Error(truncatedMessage)
    this.#at += length
  }

  #passVarint(): void {
    for (let i = 0; i < 10; i++) {
      if (this.#at === this.#end) throw new Error(truncatedMessage)
      if (this.#bytes[this.#at++]! < 0x80) return
    }
    throw new Error(unterminatedInteger)
  }

  #readVarint(): number {
    const start = this.#at
    let value = 0
    let factor = 1
    for (let i = 0; i < 10; i++) {
      if (this.#at === this.#end) throw new Error(truncatedMessage)
      const byte = this.#bytes[this.#at++]!
      // The tenth byte contains the sign of an int64.
      if (i === 9) return Number(decodeSigned(this.#bytes.subarray(start, this.#at)))
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
      factor *= 128
    }
    throw new Error(unterminatedInteger)
  }
}

function decodeSigned(bytes: Buffer): bigint {
  let value = 0n
  for (let i = bytes.length; i-- > 0;) value = (value << 7n) | BigInt(bytes[i]! & 0x7f)
  return BigInt.asIntN(64, value)
}
