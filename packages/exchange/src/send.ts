import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { BrokenResponseError } from './errors.ts'
import type { Exchange } from './exchange.ts'

export type ResponseHeaders = Record<string, string>

/**
 * Sends a complete response directly to the socket, with its length and without a `Response` or stream. The caller must not modify the body
 * until `written` is called. It is not called if the client has disconnected.
 */
export function sendBytes(
  exchange: Exchange,
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | string,
  written?: () => void,
): void {
  const outgoing = exchange.outgoing as ServerResponse
  if (outgoing.headersSent) {
    // Another response has started. Aborts it unless it is complete, like the server's 504 after the deadline.
    if (!outgoing.writableEnded) outgoing.destroy()
    return
  }
  const list = headerList(exchange, headers)
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  exchange.sentBytes = length
  if (status !== 304 && status !== 204 && headers['content-length'] === undefined) list.push('content-length', String(length))
  outgoing.writeHead(status, list)
  if (exchange.method === 'HEAD') outgoing.end(written)
  else {
    outgoing.end(body, written)
    if (length >= countedLength) countUnread(exchange, outgoing, length)
  }
}

/** Minimum size of counted responses. Shorter ones are frequent, and clients read them quickly. */
const countedLength: number = 16 * 1024

/** Counts the unread bytes of a response until the connection closes. */
function countUnread(exchange: Exchange, outgoing: ServerResponse, length: number): void {
  const { unreadAnswers } = exchange.services
  if (unreadAnswers === undefined || outgoing.destroyed) return
  outgoing.once('close', unreadAnswers.add(exchange.user.name, outgoing, length))
}

/** Returns the common headers and the response's own: alternating names and values. */
function headerList(exchange: Exchange, headers: ResponseHeaders): string[] {
  const list = [...exchange.commonHeaders]
  for (const name in headers) list.push(name, headers[name]!)
  return list
}

/** Writes a response in chunks. */
export interface ResponseSink {
  /**
   * Returns false if the socket's buffer is full; await `drained()` before the next write. The caller must not modify the bytes until
   * `written` is called; without `written`, never.
   */
  write(chunk: Uint8Array | string, written?: () => void): boolean
  /**
   * Writes a chunk that already includes its framing, and returns the result of `write`. Bytes shared by many responses are then framed
   * once. Only set on HTTP/1.1 without a length.
   */
  readonly writeChunk?: (chunk: Uint8Array) => boolean
  /** Resolves when the socket accepts more data, and when it closes. */
  drained(): Promise<void>
  /** True once the client has disconnected. Later writes are dropped. */
  readonly closed: boolean
  /** Calls `listener` when the client disconnects; immediately if it already has. Not called after a regular end. */
  onClose(listener: () => void): void
  /** Starts to combine writes. `uncork` sends them. */
  cork(): void
  uncork(): void
}

/**
 * Sends the chunks that `produce` writes and ends the response when it resolves. If it throws after the headers were sent, closes the
 * connection (HTTP/2: the stream), so that the client notices that the response is incomplete.
 */
export async function sendStream(
  exchange: Exchange,
  status: number,
  headers: ResponseHeaders,
  produce: (sink: ResponseSink) => Promise<void>,
): Promise<void> {
  const outgoing = exchange.outgoing as ServerResponse
  if (outgoing.destroyed || outgoing.closed) return
  outgoing.writeHead(status, headerList(exchange, headers))
  outgoing.flushHeaders()
  const sink = new NodeSink(exchange, outgoing)
  try {
    await produce(sink)
    exchange.sentBytes = sink.bytes
    sink.finish()
  } catch (error) {
    outgoing.destroy()
    throw new BrokenResponseError(error)
  }
}

class NodeSink implements ResponseSink {
  readonly writeChunk?: (chunk: Uint8Array) => boolean
  readonly #exchange: Exchange
  readonly #outgoing: ServerResponse
  readonly #socket: Socket | undefined
  readonly #end = new SinkEnd()
  /** Number of bytes written, without framing. */
  bytes = 0

  constructor(exchange: Exchange, outgoing: ServerResponse) {
    this.#exchange = exchange
    this.#outgoing = outgoing
    if (outgoing.chunkedEncoding && outgoing.socket !== null && exchange.method !== 'HEAD') {
      // The headers were flushed and nothing else is buffered, so the order is preserved.
      const socket = (this.#socket = outgoing.socket)
      this.writeChunk = (chunk) => this.#end.closed || socket.write(chunk)
      socket.on('drain', this.#end.awake)
    }
    // On HTTP/2, writing after the client disconnected emits `error`; `close` follows and is handled.
    outgoing.on('error', () => this.#close())
    outgoing.on('close', () => this.#close())
    outgoing.on('drain', this.#end.awake)
  }

  /**
   * True for watches, which share most of their bytes. Their bytes are not counted, because that would end watches for memory that is not
   * used. The cache limits each watcher.
   */
  get #isShared(): boolean {
    return this.#exchange.info.verb === 'watch'
  }

  get closed(): boolean {
    return this.#end.closed
  }

  write(chunk: Uint8Array | string, written?: () => void): boolean {
    if (this.#end.closed) return true
    this.bytes += chunk.length
    return written === undefined ? this.#outgoing.write(chunk) : this.#outgoing.write(chunk, written)
  }

  async drained(): Promise<void> {
    if (this.#end.closed || !(this.#outgoing.writableNeedDrain || this.#socket?.writableNeedDrain === true)) return
    const { clientWait, services, user } = this.#exchange
    clientWait?.begin()
    const read = this.#isShared ? undefined : services.unreadAnswers?.add(user.name, this.#outgoing, this.#outgoing.writableLength)
    await this.#end.wait()
    read?.()
    clientWait?.end()
  }

  onClose(listener: () => void): void {
    this.#end.onClose(listener)
  }

  cork(): void {
    this.#outgoing.cork?.()
  }

  uncork(): void {
    this.#outgoing.uncork?.()
  }

  finish(): void {
    this.#end.finish()
    this.#socket?.off('drain', this.#end.awake)
    if (this.#end.closed) return
    this.#outgoing.end()
    const { writableLength } = this.#outgoing
    if (!this.#isShared && writableLength >= countedLength) countUnread(this.#exchange, this.#outgoing, writableLength)
  }

  #close(): void {
    if (this.#end.closed) return
    this.#socket?.off('drain', this.#end.awake)
    this.#end.close()
  }
}

/** Tracks the end of a sink: whether its reader disconnected, the waiting writer, and the listeners. */
export class SinkEnd {
  readonly #listeners: (() => void)[] = []
  #closed = false
  #wake: (() => void) | undefined

  get closed(): boolean {
    return this.#closed
  }

  /** Resolves at the next call of `awake`. */
  wait(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  /** Resumes the waiting writer, because there is room or the sink has ended. */
  readonly awake = (): void => {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  /** Calls `listener` when the reader disconnects; immediately if it already has. */
  onClose(listener: () => void): void {
    if (this.#closed) listener()
    else this.#listeners.push(listener)
  }

  /** Ends the sink without calling the listeners. */
  finish(): void {
    this.#listeners.length = 0
    this.awake()
  }

  close(): void {
    this.#closed = true
    this.awake()
    for (const listener of this.#listeners.splice(0)) listener()
  }
}
