/** Maximum size in bytes of a received message. The default of gRPC. */
const maxMessageSize = 4 * 1024 * 1024
const prefixSize = 5

/** Splits the bytes of a gRPC stream into messages. */
export class MessageReader {
  #chunks: Buffer[] = []
  #size = 0
  /** Size of the next message with its prefix; undefined if its prefix has not arrived. */
  #needed: number | undefined;

  /** Adds bytes and returns the messages that they complete. Throws if a message is too large or compressed. */
  *read(chunk: Buffer): Generator<Buffer, void, undefined> {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    for (;;) {
      if (this.#needed === undefined) {
        if (this.#size < prefixSize) return
        this.#needed = readSize(this.#join()) + prefixSize
      }
      if (this.#size < this.#needed) return
      const bytes = this.#join()
      const message = bytes.subarray(prefixSize, this.#needed)
      this.#chunks = [bytes.subarray(this.#needed)]
      this.#size -= this.#needed
      this.#needed = undefined
      yield message
    }
  }

  #join(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]!
  }
}

function readSize(bytes: Buffer): number {
  if (bytes[0] !== 0) throw new Error('a compressed message was received')
  const size = bytes.readUInt32BE(1)
  if (size > maxMessageSize) throw new Error(`received message larger than max (${size} vs. ${maxMessageSize})`)
  return size
}
