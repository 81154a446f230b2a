import type { Duplex } from 'node:stream'
import {
  computeWebSocketAccept,
  encodeWebSocketClose,
  WebSocketFrameReader,
  encodeWebSocketHead,
  websocketOpcode,
  WebSocketProtocolError,
} from '@keelson/apimachinery/httpstream'
import type { WebSocketFrameHandler } from '@keelson/apimachinery/httpstream'
import type { HeaderList } from './forwarded-headers.ts'
import { keepOpen } from './splice-sockets.ts'

const readPatienceMs = 60_000
const closePatienceMs = 1000

/** Returns the response headers of a WebSocket handshake. Returns undefined if the request is not a valid handshake. */
export function acceptWebSocketHandshake(
  method: string,
  headers: NodeJS.Dict<string | string[]>,
  protocol: string | undefined,
): HeaderList | undefined {
  const key = headers['sec-websocket-key']
  if (method !== 'GET' || typeof key !== 'string' || headers['sec-websocket-version'] !== '13') return undefined
  if (Buffer.from(key, 'base64').length !== 16) return undefined
  return [
    ['Upgrade', 'websocket'],
    ['Connection', 'Upgrade'],
    ['Sec-WebSocket-Accept', computeWebSocketAccept(key)],
    ...(protocol === undefined ? [] : [['Sec-WebSocket-Protocol', protocol] as const]),
  ]
}

export interface WebSocketListener {
  readonly onMessage: WebSocketFrameHandler['onMessage']
  /** Called once, when the client has closed the WebSocket or disconnected. */
  onEnd(): void
}

/** The server side of a WebSocket. It does not read while it is paused, or while its own messages wait for the client. */
export class ServerWebSocket {
  readonly socket: Duplex
  readonly #reader: WebSocketFrameReader
  readonly #listener: WebSocketListener
  #ended = false
  #closing = false
  #paused = false

  constructor(socket: Duplex, listener: WebSocketListener) {
    this.socket = socket
    this.#listener = listener
    this.#reader = new WebSocketFrameReader(
      { onMessage: (...message) => !this.#closing && listener.onMessage(...message), onControl: (...frame) => this.#control(...frame) },
      { masked: true },
    )
    keepOpen(socket)
    socket.on('drain', () => this.#paused || socket.resume())
    socket.once('end', () => this.#end())
    socket.once('close', () => this.#end())
  }

  /** Starts reading. `head` has the bytes that were received after the headers of the request. */
  start(head: Buffer): void {
    if (head.length > 0) this.#take(head)
    this.socket.on('data', (chunk: Buffer) => this.#take(chunk))
    if (this.#paused) this.socket.pause()
  }

  /** Sends a message. Returns false if the buffer is full. `onDrain` is then called when there is room again. */
  send(opcode: number, ...chunks: readonly Buffer[]): boolean {
    if (this.#closing || this.socket.destroyed) return true
    const size = chunks.reduce((sum, part) => sum + part.length, 0)
    this.socket.cork()
    this.socket.write(encodeWebSocketHead(opcode, size))
    for (const part of chunks) this.socket.write(part)
    this.socket.uncork()
    return !this.socket.writableNeedDrain
  }

  onDrain(listener: () => void): void {
    this.socket.on('drain', listener)
  }

  pause(): void {
    this.#paused = true
    this.socket.pause()
  }

  resume(): void {
    this.#paused = false
    // Resumes reading only if no messages wait for the client. Otherwise 'drain' resumes it.
    if (!this.socket.writableNeedDrain) this.socket.resume()
  }

  close(code = 1000): void {
    if (this.#closing) return
    this.#closing = true
    const { socket } = this
    // Gives the client a limited time to read the remaining data, because some clients never close their side.
    const destroy = (): void => void socket.destroy()
    const patience = setTimeout(destroy, readPatienceMs).unref()
    socket.end(encodeWebSocketClose(code), () => setTimeout(destroy, closePatienceMs).unref())
    socket.once('close', () => clearTimeout(patience))
    socket.resume()
  }

  #take(chunk: Buffer): void {
    try {
      this.#reader.push(chunk)
    } catch (error) {
      if (!(error instanceof WebSocketProtocolError)) throw error
      this.close(error.code)
      this.#end()
    }
  }

  #control(opcode: number, payload: Buffer): void {
    if (opcode === websocketOpcode.close) {
      this.close()
      this.#end()
    } else if (opcode === websocketOpcode.ping && !this.send(websocketOpcode.pong, payload)) {
      this.socket.pause()
    }
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#listener.onEnd()
  }
}
