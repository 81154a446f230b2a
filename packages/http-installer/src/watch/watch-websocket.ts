import { websocketOpcode, websocketTokenProtocol } from '@keelson/apimachinery/httpstream'
import type { MessageOpcode } from '@keelson/apimachinery/httpstream'
import { splitList } from '../connect/forwarded-headers.ts'
import { takeSocket } from '../connect/pass-upgrade.ts'
import { ServerWebSocket, acceptWebSocketHandshake } from '../connect/server-websocket.ts'
import { SinkEnd, sendBytes } from '@keelson/exchange'
import type { Exchange, ResponseSink, Upgrade } from '@keelson/exchange'
import type { NegotiatedStream } from '../negotiation/negotiate.ts'

/** Returns the connection to upgrade if the client requests the events as WebSocket messages. Otherwise returns undefined. */
export function findWebSocketUpgrade(exchange: Exchange): Upgrade | undefined {
  const upgrade = exchange.upgrade
  return upgrade !== undefined && exchange.getHeader('upgrade')?.toLowerCase() === 'websocket' ? upgrade : undefined
}

export interface WatchMessages {
  /** WebSocket opcode of the messages: text for JSON, binary for other encodings. */
  readonly opcode: MessageOpcode
  /** Number of bytes in the length prefix of each event. WebSocket messages omit the prefix. */
  readonly prefixLength: number
}

/** Completes a WebSocket handshake and calls `produce` to write messages. The WebSocket closes when `produce` resolves. */
export async function sendWebSocket(
  exchange: Exchange,
  upgrade: Upgrade,
  messages: WatchMessages,
  produce: (sink: ResponseSink) => Promise<void>,
): Promise<void> {
  const handshake = acceptWebSocketHandshake(
    exchange.method,
    exchange.incoming.headers,
    chooseProtocol(exchange.getHeader('sec-websocket-protocol')),
  )
  if (handshake === undefined) return sendBytes(exchange, 400, {}, 'Bad Request\n')
  if (!requiresOriginCheck(exchange.getHeader('origin'))) return sendBytes(exchange, 403, {}, '')
  const sink = new WebSocketSink(exchange, upgrade, handshake, messages)
  try {
    await produce(sink)
  } finally {
    sink.finish()
  }
}

/** Returns whether the request has an Origin header. As in kube-apiserver, every origin is allowed. */
function requiresOriginCheck(origin: string | undefined): boolean {
  return origin !== undefined && (origin.startsWith('/') || (/^[a-z][a-z\d+.-]*:/i.test(origin) && URL.canParse(origin)))
}

/**
 * Returns the first offered subprotocol that is not a credential. Browsers let web pages set only this header, so it may contain a bearer
 * token.
 */
function chooseProtocol(offered: string | undefined): string | undefined {
  return splitList(offered).find((name) => !name.startsWith(websocketTokenProtocol))
}

class WebSocketSink implements ResponseSink {
  readonly #socket: ServerWebSocket
  readonly #messages: WatchMessages
  readonly #end = new SinkEnd()

  constructor(exchange: Exchange, upgrade: Upgrade, handshake: Parameters<typeof takeSocket>[2], messages: WatchMessages) {
    this.#messages = messages
    // Ignores messages of the client; only the end of the connection matters.
    this.#socket = new ServerWebSocket(takeSocket(exchange, upgrade, handshake), { onMessage: () => true, onEnd: () => this.#end.close() })
    this.#socket.onDrain(this.#end.wake)
    this.#socket.start(upgrade.head)
  }

  get closed(): boolean {
    return this.#end.closed
  }

  write(chunk: Uint8Array | string): boolean {
    if (this.#end.closed) return true
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    return this.#socket.send(this.#messages.opcode, bytes.subarray(this.#messages.prefixLength))
  }

  waitForDrain(): Promise<void> {
    if (this.#end.closed || !this.#socket.socket.writableNeedDrain) return Promise.resolve()
    return this.#end.wait()
  }

  onClose(listener: () => void): void {
    this.#end.onClose(listener)
  }

  cork(): void {
    this.#socket.socket.cork()
  }

  uncork(): void {
    this.#socket.socket.uncork()
  }

  finish(): void {
    this.#end.finish()
    this.#socket.close()
  }
}

/** Message format of each encoding. */
export const watchMessages: Readonly<Record<NegotiatedStream['form'], WatchMessages>> = {
  json: { opcode: websocketOpcode.text, prefixLength: 0 },
  protobuf: { opcode: websocketOpcode.binary, prefixLength: 4 },
  cbor: { opcode: websocketOpcode.binary, prefixLength: 0 },
}
