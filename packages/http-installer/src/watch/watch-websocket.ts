import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { websocketOpcode, websocketTokenProtocol } from '@keelson/apimachinery/httpstream'
import type { MessageOpcode } from '@keelson/apimachinery/httpstream'
import { splitList } from '../connect/forwarded-headers.ts'
import { takeSocket } from '../connect/pass-upgrade.ts'
import { ServerWebSocket, websocketHandshake } from '../connect/server-websocket.ts'
import type { InstallerContext, Upgrade } from '../context.ts'
import type { NegotiatedStream } from '../negotiate.ts'
import { sendBytes } from '../response.ts'
import type { ResponseSink } from '../response.ts'
import { SinkEnd } from '../sink-end.ts'

/** The connection of a client that wants the watch's events as messages of a WebSocket. */
export function websocketUpgrade(c: InstallerContext): Upgrade | undefined {
  const upgrade = c.env?.upgrade
  return upgrade !== undefined && c.req.header('upgrade')?.toLowerCase() === 'websocket' ? upgrade : undefined
}

export interface WatchMessages {
  /** Text for JSON, binary for all else. */
  readonly opcode: MessageOpcode
  /** How much of each frame only says how long it is, which a message knows by itself. */
  readonly prefixLength: number
}

/** Answers with a WebSocket to which `produce` writes, one message for each write; it is closed when that resolves. */
export async function sendWebSocket(
  c: InstallerContext,
  upgrade: Upgrade,
  messages: WatchMessages,
  produce: (sink: ResponseSink) => Promise<void>,
): Promise<Response> {
  const handshake = websocketHandshake(c.req.method, c.env.incoming!.headers, chosenProtocol(c.req.header('sec-websocket-protocol')))
  if (handshake === undefined) return sendBytes(c, 400, {}, 'Bad Request\n')
  if (!saysOrigin(c.req.header('origin'))) return sendBytes(c, 403, {}, '')
  const sink = new WebSocketSink(c, upgrade, handshake, messages)
  try {
    await produce(sink)
  } finally {
    sink.finish()
  }
  return RESPONSE_ALREADY_SENT
}

/** As the original: whoever asks must say from where, and any place will do. */
function saysOrigin(origin: string | undefined): boolean {
  return origin !== undefined && (origin.startsWith('/') || (/^[a-z][a-z\d+.-]*:/i.test(origin) && URL.canParse(origin)))
}

/** Credentials may stand among the protocols, which is the only header that a browser lets its pages set. */
function chosenProtocol(offered: string | undefined): string | undefined {
  return splitList(offered).find((name) => !name.startsWith(websocketTokenProtocol))
}

class WebSocketSink implements ResponseSink {
  readonly #socket: ServerWebSocket
  readonly #messages: WatchMessages
  readonly #end = new SinkEnd()

  constructor(c: InstallerContext, upgrade: Upgrade, handshake: Parameters<typeof takeSocket>[2], messages: WatchMessages) {
    this.#messages = messages
    // What the client says is of no interest; that it leaves is.
    this.#socket = new ServerWebSocket(takeSocket(c, upgrade, handshake), { onMessage: () => true, onEnd: () => this.#end.close() })
    this.#socket.onDrain(this.#end.awake)
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

  drained(): Promise<void> {
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

/** By the form of the frames. */
export const watchMessages: Readonly<Record<NegotiatedStream['form'], WatchMessages>> = {
  json: { opcode: websocketOpcode.text, prefixLength: 0 },
  protobuf: { opcode: websocketOpcode.binary, prefixLength: 4 },
  cbor: { opcode: websocketOpcode.binary, prefixLength: 0 },
}
