import { spdyDictionaryId } from './spdy-dictionary.ts'

/** The longest that fits into one stored block. */
const maxBlock = 0xffff

/**
 * Header blocks as SPDY/3.1 wants them: one zlib stream for the whole connection. Ours holds stored blocks only, which any zlib reads: what few streams of
 * a connection say of themselves is not worth a compressor's state.
 */
export class SpdyHeaderWriter {
  #begun = false

  /** Names in lower case. Throws RangeError for more than 64 KiB. */
  encode(headers: Readonly<Record<string, string>>): Buffer {
    const entries = Object.entries(headers)
    const parts = [length(entries.length)]
    for (const [name, value] of entries) parts.push(text(name), text(value))
    const plain = Buffer.concat(parts)
    if (plain.length > maxBlock) throw new RangeError('headers of a stream are too long')
    const block = Buffer.alloc(5)
    block.writeUInt16LE(plain.length, 1)
    block.writeUInt16LE(plain.length ^ maxBlock, 3)
    const begins = !this.#begun
    this.#begun = true
    return Buffer.concat(begins ? [streamHead(), block, plain, flush] : [block, plain, flush])
  }
}

/** An empty block: readers hand on what they have when they see one, and may wait for more until they do. */
const flush = Buffer.from([0, 0, 0, 0xff, 0xff])

/** A zlib header that names the dictionary. */
function streamHead(): Buffer {
  const head = Buffer.from([0x78, 0xbb, 0, 0, 0, 0])
  head.writeUInt32BE(spdyDictionaryId, 2)
  return head
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8')
  return Buffer.concat([length(bytes.length), bytes])
}

function length(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
