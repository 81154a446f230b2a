/** The frames of SPDY/3.1 that streams of Kubernetes consist of. */
export const spdyFrame = { synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7, headers: 8, windowUpdate: 9 } as const
export const spdyFin = 1

const headBytes = 8
/** Beyond what anybody sends: control frames are read whole. */
const maxControlBytes = 1 << 20

export interface SpdyFrameHandler {
  /** A piece of a data frame, as it arrived. `fin` on the last piece of the last frame of the stream's half. */
  onData(stream: number, piece: Buffer, fin: boolean): void
  onControl(type: number, flags: number, payload: Buffer): void
}

interface DataFrame {
  readonly stream: number
  readonly fin: boolean
  left: number
}

/** Takes frames out of a byte stream. Data is handed on in the pieces in which it comes, so nothing but control frames is ever held. */
export class SpdyFrameReader {
  readonly #handler: SpdyFrameHandler
  #rest: Buffer = Buffer.alloc(0)
  /** What is still to come of the data frame that has begun. */
  #data: DataFrame | undefined

  constructor(handler: SpdyFrameHandler) {
    this.#handler = handler
  }

  /** Throws RangeError for what is not SPDY. */
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
    if (size > maxControlBytes) throw new RangeError('a SPDY control frame is too long')
    if (bytes.length < headBytes + size) return 0
    this.#handler.onControl(word & 0xffff, flags, bytes.subarray(headBytes, headBytes + size))
    return headBytes + size
  }

  #takeData(data: DataFrame, bytes: Buffer): number {
    const piece = bytes.subarray(0, data.left)
    data.left -= piece.length
    if (data.left === 0) this.#data = undefined
    this.#handler.onData(data.stream, piece, data.fin && data.left === 0)
    return piece.length
  }
}

/** The head of a data frame, for the bytes that follow it: at most 16 MiB. */
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

/** Opens a stream. `headers` come from the connection's one `SpdyHeaderWriter`. */
export function spdySynStream(stream: number, headers: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt32BE(stream, 0)
  return spdyControl(spdyFrame.synStream, 0, Buffer.concat([fixed, headers]))
}
