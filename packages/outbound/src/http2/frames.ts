/** Frame types of HTTP/2 (RFC 9113). */
export const frameType = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const frameFlag = { endStream: 0x1, acknowledge: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const

export const errorCode = {
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 11,
} as const

/** Names of error codes by their number, as in RFC 9113. */
export const errorNames: readonly string[] = (
  'NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR ' +
  'REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY HTTP_1_1_REQUIRED'
).split(' ')

/** Maximum size of a frame's payload in bytes, in both directions. It is the default of HTTP/2, so it is not announced. */
export const maxPayload = 16_384
export const frameHeaderSize = 9
/** Maximum flow-control window. */
export const maxWindow: number = 2 ** 31 - 1

export interface FrameHead {
  readonly type: number
  readonly flags: number
  readonly stream: number
}

/** Creates a frame without its payload, whose bytes follow. */
export function createFrame({ type, flags, stream }: FrameHead, payloadSize: number, followingSize = 0): Buffer {
  const frame = Buffer.allocUnsafe(frameHeaderSize + payloadSize)
  frame.writeUIntBE(payloadSize + followingSize, 0, 3)
  frame[3] = type
  frame[4] = flags
  frame.writeUInt32BE(stream, 5)
  return frame
}

/** Creates a frame whose payload is a list of 32-bit numbers. */
export function createNumbersFrame(head: FrameHead, ...numbers: readonly number[]): Buffer {
  const frame = createFrame(head, numbers.length * 4)
  for (const [i, number] of numbers.entries()) frame.writeUInt32BE(number, frameHeaderSize + i * 4)
  return frame
}

/** Thrown if a peer breaks the rules of HTTP/2, so that the connection must be closed. */
export class Http2ProtocolError extends Error {
  override readonly name = 'Http2ProtocolError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export interface FrameListener {
  /** A part of the payload of a DATA frame. `flowSize` includes padding. `isLast` is true at the end of the stream. */
  onData(stream: number, chunk: Buffer, flowSize: number, isLast: boolean): void
  /** A complete frame that is not DATA. The payload may be used only during the call. */
  onFrame(head: FrameHead, payload: Buffer): void
}

/** Divides the bytes of a connection into frames. Parts of DATA frames are passed on as they arrive, without a copy. */
export class FrameReader {
  readonly #listener: FrameListener
  /** Bytes of an incomplete frame. */
  #held: Buffer | undefined
  /** The DATA frame whose payload is being read, and the number of its missing bytes. */
  #data: FrameHead | undefined
  #dataLeft = 0

  constructor(listener: FrameListener) {
    this.#listener = listener
  }

  /** Reads the next bytes. Throws an `Http2ProtocolError` if a frame is not valid. */
  read(received: Buffer): void {
    let chunk = received
    if (this.#held !== undefined) {
      chunk = Buffer.concat([this.#held, received])
      this.#held = undefined
    }
    let at = 0
    while (at < chunk.length) {
      if (this.#data !== undefined) at = this.#readData(this.#data, chunk, at)
      else {
        const next = this.#readFrame(chunk, at)
        if (next === at) {
          this.#held = chunk.subarray(at)
          return
        }
        at = next
      }
    }
  }

  /** Reads a frame, or only the head of a DATA frame. Returns its end, or its start if it is not complete. */
  #readFrame(chunk: Buffer, at: number): number {
    const start = at + frameHeaderSize
    if (start > chunk.length) return at
    const size = (chunk[at]! << 16) | (chunk[at + 1]! << 8) | chunk[at + 2]!
    if (size > maxPayload) throw new Http2ProtocolError(errorCode.frameSize, 'a frame is too large')
    const head = { type: chunk[at + 3]!, flags: chunk[at + 4]!, stream: chunk.readUInt32BE(at + 5) & maxWindow }
    if (head.type === frameType.data && (head.flags & frameFlag.padded) === 0 && size > 0) {
      this.#data = head
      this.#dataLeft = size
      return start
    }
    const end = start + size
    if (end > chunk.length) return at
    const payload = withoutPadding(head, chunk.subarray(start, end))
    if (head.type === frameType.data) this.#listener.onData(head.stream, payload, size, (head.flags & frameFlag.endStream) !== 0)
    else this.#listener.onFrame(head, payload)
    return end
  }

  #readData(head: FrameHead, chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#dataLeft)
    this.#dataLeft -= end - at
    if (this.#dataLeft === 0) this.#data = undefined
    const isLast = this.#dataLeft === 0 && (head.flags & frameFlag.endStream) !== 0
    this.#listener.onData(head.stream, chunk.subarray(at, end), end - at, isLast)
    return end
  }
}

/** Returns the payload of a DATA or HEADERS frame without padding, and without the priority of a stream. */
function withoutPadding({ type, flags }: FrameHead, payload: Buffer): Buffer {
  if (type !== frameType.data && type !== frameType.headers) return payload
  const isPadded = (flags & frameFlag.padded) !== 0
  const padding = isPadded ? (payload[0] ?? maxPayload) : 0
  const start = (isPadded ? 1 : 0) + (type === frameType.headers && (flags & frameFlag.priority) !== 0 ? 5 : 0)
  const end = payload.length - padding
  if (end < start) throw new Http2ProtocolError(errorCode.protocol, 'a frame has more padding than bytes')
  return payload.subarray(start, end)
}
