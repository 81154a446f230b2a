/** The SPDY/3.1 frames that Kubernetes streams use. */
export const spdyFrame = { synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7, headers: 8, windowUpdate: 9 } as const
export const spdyFin = 1

const headBytes = 8
/** Maximum size of a control frame, because these are buffered whole. Larger than any real one. */
const maxControlBytes = 1 << 20

export interface SpdyFrameHandler {
  /** Receives a chunk of a data frame. `fin` marks the last chunk of the stream in this direction. */
  onData(stream: number, content: Buffer, fin: boolean): void
  onControl(type: number, flags: number, payload: Buffer): void
}

interface DataFrame {
  readonly stream: number
  readonly fin: boolean
  left: number
}

/** Parses frames from a byte stream. Passes data on as it arrives and only buffers control frames. */
export class SpdyFrameReader {
  readonly #handler: SpdyFrameHandler
  #rest: Buffer = Buffer.alloc(0)
  /** The data frame in progress. */
  #data: DataFrame | undefined

  constructor(handler: SpdyFrameHandler) {
    this.#handler = handler
  }

  /** Throws RangeError for invalid SPDY. */
  push(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (bytes.length > 0) {
      const taken = this.#data === undefined ? this.#takeFrame(bytes) : this.#takeData(this.#data, bytes)
      if (taken === 0) break
      bytes = bytes.subarray(taken)
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
      else this.#data = { stream: word, fin, left: size }
      return headBytes
    }
    if (size > maxControlBytes) throw new RangeError('SPDY control frame is too long')
    if (bytes.length < headBytes + size) return 0
    this.#handler.onControl(word & 0xffff, flags, bytes.subarray(headBytes, headBytes + size))
    return headBytes + size
  }

  #takeData(data: DataFrame, bytes: Buffer): number {
    const content = bytes.subarray(0, data.left)
    data.left -= content.length
    if (data.left === 0) this.#data = undefined
    this.#handler.onData(data.stream, content, data.fin && data.left === 0)
    return content.length
  }
}

/** Builds the header of a data frame of at most 16 MiB. */
export function spdyDataHead(stream: number, size: number, fin: boolean): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(stream, 0)
  head[4] = fin ? spdyFin : 0
  head.writeUIntBE(size, 5, 3)
  return head
}

export function spdyControl(type: number, flags: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(0x8003_0000 + type, 0)
  head[4] = flags
  head.writeUIntBE(payload.length, 5, 3)
  return Buffer.concat([head, payload])
}

/** Opens a stream. `headers` must come from the connection's `SpdyHeaderWriter`. */
export function spdySynStream(stream: number, headers: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt32BE(stream, 0)
  return spdyControl(spdyFrame.synStream, 0, Buffer.concat([fixed, headers]))
}
