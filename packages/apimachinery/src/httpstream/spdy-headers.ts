import { spdyDictionaryId } from './spdy-dictionary.ts'

/** Maximum size of a stored block in zlib, in bytes. */
const maxBlock = 0xffff

/**
 * Encodes the SPDY/3.1 header blocks of a connection as one zlib stream. Writes only stored (uncompressed) blocks, which every zlib decoder
 * accepts. A connection has so few headers that compression would not be worth its memory.
 */
export class SpdyHeaderWriter {
  #begun = false

  /** Encodes a header block. Header names must be in lower case. Throws RangeError for more than 64 KiB. */
  encode(headers: Readonly<Record<string, string>>): Buffer {
    const entries = Object.entries(headers)
    const chunks = [encodeLength(entries.length)]
    for (const [name, value] of entries) chunks.push(encodeText(name), encodeText(value))
    const plain = Buffer.concat(chunks)
    if (plain.length > maxBlock) throw new RangeError('stream headers are too long')
    const block = Buffer.alloc(5)
    block.writeUInt16LE(plain.length, 1)
    block.writeUInt16LE(plain.length ^ maxBlock, 3)
    const begins = !this.#begun
    this.#begun = true
    return Buffer.concat(begins ? [streamHead(), block, plain, flush] : [block, plain, flush])
  }
}

/** An empty stored block of zlib. Some decoders return data only after they have read such a block. */
const flush = Buffer.from([0, 0, 0, 0xff, 0xff])

/** Builds a zlib header that refers to the preset dictionary. */
function streamHead(): Buffer {
  const head = Buffer.from([0x78, 0xbb, 0, 0, 0, 0])
  head.writeUInt32BE(spdyDictionaryId, 2)
  return head
}

function encodeText(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8')
  return Buffer.concat([encodeLength(bytes.length), bytes])
}

function encodeLength(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
