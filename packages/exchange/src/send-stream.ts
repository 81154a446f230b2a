import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { BrokenResponseError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { countedLength, countUnread, headerList } from './send.ts'
import type { ResponseHeaders } from './send.ts'
import { SinkEnd } from './sink-end.ts'

/** A response that is written piece by piece. */
export interface ResponseSink {
  /**
   * False: enough waits for the socket; await `drained()` before writing on. The sink owns the bytes until `written` is called (for good without
   * `written`).
   */
  write(chunk: Uint8Array | string, written?: () => void): boolean
  /**
   * On HTTP/1.1 without a length: writes a chunk including its framing, exactly as it goes over the wire. Bytes that many responses share are framed once,
   * and the socket does not assemble them for each. Returns what `write` returns.
   */
  readonly writeChunk?: (chunk: Uint8Array) => boolean
  /** Resolves when the socket takes more, and when it is closed. */
  drained(): Promise<void>
  /** The client is gone. Later writes are dropped. */
  readonly closed: boolean
  /** Called when the client leaves, at once if it has left; not after a regular end. */
  onClose(listener: () => void): void
  /** Combines the writes up to `uncork` into one. */
  cork(): void
  uncork(): void
}

/**
 * Responds with what `produce` writes; the response ends when it resolves. If it throws after the head was sent, the connection (HTTP/2: the stream) is
 * broken off, so that no client takes half a response for a whole one.
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
  /** Written, without framing. */
  bytes = 0

  constructor(exchange: Exchange, outgoing: ServerResponse) {
    this.#exchange = exchange
    this.#outgoing = outgoing
    if (outgoing.chunkedEncoding && outgoing.socket !== null && exchange.method !== 'HEAD') {
      // The head was flushed and nothing else of this response is buffered, so the order is kept.
      const socket = (this.#socket = outgoing.socket)
      this.writeChunk = (chunk) => this.#end.closed || socket.write(chunk)
      socket.on('drain', this.#end.awake)
    }
    // On HTTP/2 a write after the client left raises `error`; `close` follows and is handled.
    outgoing.on('error', () => this.#close())
    outgoing.on('close', () => this.#close())
    outgoing.on('drain', this.#end.awake)
  }

  /** Watches share most of their bytes. Counting them for each would end watches for memory that is not used; the cache limits each watcher's own. */
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
