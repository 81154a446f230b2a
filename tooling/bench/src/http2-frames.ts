export const frameTypes = { data: 0, headers: 1, resetStream: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const
export const flags = { endStream: 1, acknowledge: 1, endHeaders: 4 } as const
/** Byte offsets of the fields in a frame header. */
export const frameHead = { type: 3, flags: 4, stream: 5, length: 9 } as const

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly length: number
  /** Contents of the frame. Only valid until the next frame. Empty for data frames, because the client does not need response bodies. */
  readonly payload: Buffer
}

export function encodeFrame(type: number, set: number, stream: number, payload: Uint8Array = nothing): Buffer {
  const bytes = Buffer.alloc(frameHead.length + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[frameHead.type] = type
  bytes[frameHead.flags] = set
  bytes.writeUInt32BE(stream, frameHead.stream)
  bytes.set(payload, frameHead.length)
  return bytes
}

const nothing = Buffer.alloc(0)

/** Splits a byte stream into HTTP/2 frames. Reports a data frame at its end, without its contents. */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void
  #rest: Buffer | undefined
  /** Number of bytes of the current data frame that are still to be skipped. */
  #skip = 0
  #data: Frame | undefined

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame
  }

  push(piece: Buffer): void {
    const buffer = this.#rest === undefined ? piece : Buffer.concat([this.#rest, piece])
    this.#rest = undefined
    let at = 0
    for (;;) {
      if (this.#data !== undefined) {
        const used = Math.min(this.#skip, buffer.length - at)
        this.#skip -= used
        at += used
        if (this.#skip > 0) return
        const data = this.#data
        this.#data = undefined
        this.#onFrame(data)
      }
      if (buffer.length - at < frameHead.length) break
      const length = buffer.readUIntBE(at, 3)
      const type = buffer[at + frameHead.type]!
      const head = {
        type,
        flags: buffer[at + frameHead.flags]!,
        stream: buffer.readUInt32BE(at + frameHead.stream) & 0x7fff_ffff,
        length,
      }
      const start = at + frameHead.length
      if (type === frameTypes.data) {
        this.#data = { ...head, payload: nothing }
        this.#skip = length
        at = start
        continue
      }
      if (buffer.length - start < length) break
      at = start + length
      this.#onFrame({ ...head, payload: buffer.subarray(start, at) })
    }
    if (at < buffer.length) this.#rest = buffer.subarray(at)
  }
}
