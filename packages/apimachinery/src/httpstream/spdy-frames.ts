/** Types of the SPDY/3.1 frames that Kubernetes uses. */
export const spdyFrame = { synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7, headers: 8, windowUpdate: 9 } as const
export const spdyFin = 1

const headBytes = 8
/** Maximum size of a control frame in bytes. Control frames are buffered completely. No real frame is this large. */
const maxControlBytes = 1 << 20

export interface SpdyFrameHandler {
  /** Receives a part of a data frame's content. `fin` is true for the last part that the peer sends on this stream. */
  onData(stream: number, content: Buffer, fin: boolean): void
  onControl(type: number, flags: number, payload: Buffer): void
}

interface DataFrame {
  readonly stream: number
  readonly fin: boolean
  remaining: number
}

/** Parses SPDY frames from a byte stream. Passes the content of data frames on as it arrives, and buffers only control frames. */
export class SpdyFrameReader {
  readonly #handler: SpdyFrameHandler
  #rest: Buffer = Buffer.alloc(0)
  /** The data frame whose content is being received; undefined between data frames. */
  #data: DataFrame | undefined

  constructor(handler: SpdyFrameHandler) {
    this.#handler = handler
  }

  /** Parses the next bytes of the stream. Throws RangeError for invalid SPDY. */
  push(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (bytes.length > 0) {
      const consumed = this.#data === undefined ? this.#takeFrame(bytes) : this.#takeData(this.#data, bytes)
      if (consumed === 0) break
      bytes = bytes.subarray(consumed)
    }
    this.#rest = bytes
  }

  #takeFrame(bytes: Buffer): number {
    if (bytes.length < headBytes) return 0
    const word = bytes.readUInt32BE(0)
    const flags = bytes[4]!
    const size = bytes.readUIntBE(5, 3)
    if (word < 0x8000_0000) {
      const fin = (flags & spdyFin) !== 0
      if (size === 0) this.#handler.onData(word, Buffer.alloc(0), fin)
      else this.#data = { stream: word, fin, remaining: size }
      return headBytes
    }
    if (size > maxControlBytes) throw new RangeError('SPDY control frame is too long')
    if (bytes.length < headBytes + size) return 0
    this.#handler.onControl(word & 0xffff, flags, bytes.subarray(headBytes, headBytes + size))
    return headBytes + size
  }

  #takeData(data: DataFrame, bytes: Buffer): number {
    const content = bytes.subarray(0, data.remaining)
    data.remaining -= content.length
    if (data.remaining === 0) this.#data = undefined
    this.#handler.onData(data.stream, content, data.fin && data.remaining === 0)
    return content.length
  }
}

/** Builds the header of a data frame. `size` is at most 16 MiB. */
export function encodeSpdyDataHead(stream: number, size: number, fin: boolean): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(stream, 0)
  head[4] = fin ? spdyFin : 0
  head.writeUIntBE(size, 5, 3)
  return head
}

export function encodeSpdyControl(type: number, flags: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(0x8003_0000 + type, 0)
  head[4] = flags
  head.writeUIntBE(payload.length, 5, 3)
  return Buffer.concat([head, payload])
}

/** Builds a SYN_STREAM frame, which opens a stream. `headers` must be encoded by the `SpdyHeaderWriter` of the connection. */
export function encodeSpdySynStream(stream: number, headers: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt32BE(stream, 0)
  return encodeSpdyControl(spdyFrame.synStream, 0, Buffer.concat([fixed, headers]))
}
