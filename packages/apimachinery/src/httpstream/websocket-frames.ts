import { createHash } from 'node:crypto'

export const websocketOpcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
export type MessageOpcode = typeof websocketOpcode.text | typeof websocketOpcode.binary

/** Prefix of a WebSocket subprotocol that contains a bearer token. The server reads the token, but never selects this subprotocol or forwards it. */
export const websocketTokenProtocol = 'base64url.bearer.authorization.k8s.io.'

const maxControlBytes = 125

export interface WebSocketFrameHandler {
  /** Receives a part of a message. `first` and `last` mark the ends of the message. A part may be empty. */
  onMessage(opcode: MessageOpcode, content: Buffer, position: { readonly first: boolean; readonly last: boolean }): void
  onControl(opcode: number, payload: Buffer): void
}

interface Frame {
  readonly opcode: number
  readonly fin: boolean
  readonly mask: Buffer | undefined
  readonly size: number
  consumedBytes: number
}

/** Thrown if the peer violates the WebSocket protocol. `code` is the close code to send. */
export class WebSocketProtocolError extends Error {
  override readonly name = 'WebSocketProtocolError'
  readonly code = 1002
}

/**
 * Parses WebSocket messages (RFC 6455) from a byte stream and passes their content on as it arrives.
 *
 * The library ws delivers only whole messages and takes over the socket. Exec and port-forward need partial messages, backpressure from the
 * kubelet, and a switch to a raw tunnel on the same socket.
 */
export class WebSocketFrameReader {
  readonly #handler: WebSocketFrameHandler
  readonly #masked: boolean
  #rest: Buffer = Buffer.alloc(0)
  #frame: Frame | undefined
  /** Opcode of the message whose last frame is still missing; undefined between messages. */
  #message: MessageOpcode | undefined
  #begun = false

  /** `masked` is true to read frames of a client. Clients must mask their frames, servers must not. */
  constructor(handler: WebSocketFrameHandler, { masked }: { readonly masked: boolean }) {
    this.#handler = handler
    this.#masked = masked
  }

  /** Parses the next bytes of the stream. Throws `WebSocketProtocolError`. */
  push(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    for (;;) {
      const consumed = this.#frame === undefined ? this.#takeHead(bytes) : this.#takePayload(this.#frame, bytes)
      if (consumed === undefined) break
      bytes = bytes.subarray(consumed)
    }
    this.#rest = bytes
  }

  /** Reads a frame's header and returns the header's length; undefined if more bytes are needed. */
  #takeHead(bytes: Buffer): number | undefined {
    if (bytes.length < 2) return undefined
    const [first, second] = [bytes[0]!, bytes[1]!]
    if ((first & 0x70) !== 0) throw new WebSocketProtocolError('the reserved bits of a frame must be 0')
    if (second >= 0x80 !== this.#masked)
      throw new WebSocketProtocolError(this.#masked ? 'expected a masked frame' : 'expected an unmasked frame')
    const short = second & 0x7f
    const sizeBytes = short < 126 ? 0 : short === 126 ? 2 : 8
    const head = 2 + sizeBytes + (this.#masked ? 4 : 0)
    if (bytes.length < head) return undefined
    const size = sizeBytes === 0 ? short : sizeBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
    if (!Number.isSafeInteger(size)) throw new WebSocketProtocolError('frame is too long')
    const opcode = first & 0x0f
    const fin = first >= 0x80
    const mask = this.#masked ? Buffer.from(bytes.subarray(head - 4, head)) : undefined
    this.#frame = { opcode, fin, mask, size, consumedBytes: 0 }
    this.#check(this.#frame)
    return head
  }

  #check({ opcode, fin, size }: Frame): void {
    if (opcode >= websocketOpcode.close) {
      if (opcode > websocketOpcode.pong) throw new WebSocketProtocolError('unknown opcode')
      if (!fin || size > maxControlBytes) throw new WebSocketProtocolError('control frame is too long or fragmented')
    } else if (opcode === websocketOpcode.continuation) {
      if (this.#message === undefined) throw new WebSocketProtocolError('continuation without a message')
    } else {
      if (opcode > websocketOpcode.binary) throw new WebSocketProtocolError('unknown opcode')
      if (this.#message !== undefined) throw new WebSocketProtocolError('new message before the end of the previous one')
      this.#message = opcode as MessageOpcode
      this.#begun = false
    }
  }

  #takePayload(frame: Frame, bytes: Buffer): number | undefined {
    const remaining = frame.size - frame.consumedBytes
    const isControl = frame.opcode >= websocketOpcode.close
    if (remaining > 0 && (bytes.length === 0 || (isControl && bytes.length < remaining))) return undefined
    const content = removeMask(bytes.subarray(0, remaining), frame)
    frame.consumedBytes += content.length
    const isComplete = frame.consumedBytes === frame.size
    if (isComplete) this.#frame = undefined
    if (isControl) this.#handler.onControl(frame.opcode, content)
    else {
      const opcode = this.#message!
      const position = { first: !this.#begun, last: isComplete && frame.fin }
      this.#begun = true
      if (position.last) this.#message = undefined
      this.#handler.onMessage(opcode, content, position)
    }
    return content.length
  }
}

function removeMask(content: Buffer, { mask, consumedBytes }: Frame): Buffer {
  if (mask === undefined) return content
  const plain = Buffer.allocUnsafe(content.length)
  for (let i = 0; i < content.length; i++) plain[i] = content[i]! ^ mask[(consumedBytes + i) & 3]!
  return plain
}

/** Builds the header of an unmasked frame that contains a whole message or a control frame. */
export function encodeWebSocketHead(opcode: number, size: number): Buffer {
  const sizeBytes = size < 126 ? 0 : size < 65_536 ? 2 : 8
  const head = Buffer.alloc(2 + sizeBytes)
  head[0] = 0x80 | opcode
  head[1] = sizeBytes === 0 ? size : sizeBytes === 2 ? 126 : 127
  if (sizeBytes === 2) head.writeUInt16BE(size, 2)
  if (sizeBytes === 8) head.writeBigUInt64BE(BigInt(size), 2)
  return head
}

export function encodeWebSocketMessage(opcode: MessageOpcode, ...chunks: readonly Buffer[]): Buffer {
  const size = chunks.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([encodeWebSocketHead(opcode, size), ...chunks])
}

export function encodeWebSocketClose(code: number): Buffer {
  const payload = Buffer.alloc(2)
  payload.writeUInt16BE(code)
  return Buffer.concat([encodeWebSocketHead(websocketOpcode.close, 2), payload])
}

/** Returns the `Sec-WebSocket-Accept` header for a client's `Sec-WebSocket-Key`. */
export function computeWebSocketAccept(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
}
