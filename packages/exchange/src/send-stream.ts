import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { BrokenResponseError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { countedLength, countUnread, headerList } from './send.ts'
import type { ResponseHeaders } from './send.ts'
import { SinkEnd } from './sink-end.ts'

/** Writes a response in chunks. */
export interface ResponseSink {
  /**
   * Returns false if the socket's buffer is full; await `drained()` before the next write. The sink owns the bytes until it calls `written`
   * (forever without `written`).
   */
  write(chunk: Uint8Array | string, written?: () => void): boolean
  /**
   * Only on HTTP/1.1 without a length. Writes a chunk that already includes its framing, so that bytes shared by many responses are framed
   * once. Returns the result of `write`.
   */
  readonly writeChunk?: (chunk: Uint8Array) => boolean
  /** Resolves when the socket accepts more data, and when it closes. */
  drained(): Promise<void>
  /** True once the client has disconnected. Later writes are dropped. */
  readonly closed: boolean
  /** Calls `listener` when the client disconnects; immediately if it already has. Not called after a regular end. */
  onClose(listener: () => void): void
  /** Combines all writes up to `uncork`. */
  cork(): void
  uncork(): void
}

/**
 * Sends the chunks that `produce` writes and ends the response when it resolves. If it throws after the headers were sent, closes the
 * connection (HTTP/2: the stream), so that the client does not mistake the response for a complete one.
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
   * Watches share most of their bytes. Counting the bytes for each watch would end watches for memory that is not used; the cache limits
   * each watcher.
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
