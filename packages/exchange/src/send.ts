import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { waitForShare } from '@keelson/apimachinery'
import { BrokenResponseError } from './errors.ts'
import type { Exchange } from './exchange.ts'

export type ResponseHeaders = Record<string, string>
/** Alternating names and values, for responses in which a name may occur more than once. */
export type ResponseHeaderList = readonly string[]

/**
 * Sends a complete response. Adds its length if `headers` is an object. Writes it to the socket directly, without a `Response` or a stream. The caller must not modify the
 * body until `onWritten` is called. If the client disconnects, `onWritten` is never called. The response of an audited request may have to wait
 * until its event is stored.
 */
export function sendBytes(
  exchange: Exchange,
  status: number,
  headers: ResponseHeaders | ResponseHeaderList,
  body: Uint8Array | string,
  onWritten?: () => void,
): void {
  const { audit } = exchange
  if (audit === undefined) return sendNow(exchange, status, headers, body, onWritten)
  audit.respond(status)
  const stored = audit.complete()
  if (stored === undefined) return sendNow(exchange, status, headers, body, onWritten)
  exchange.delayedResponse = stored.then(() => sendNow(exchange, status, headers, body, onWritten))
}

function sendNow(
  exchange: Exchange,
  status: number,
  headers: ResponseHeaders | ResponseHeaderList,
  body: Uint8Array | string,
  written: (() => void) | undefined,
): void {
  const outgoing = exchange.outgoing as ServerResponse
  if (outgoing.headersSent) {
    // Another response has already started, such as the server's 504 after the deadline. It is aborted unless it is complete.
    if (!outgoing.writableEnded) outgoing.destroy()
    return
  }
  const list = createHeaderList(exchange, headers)
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  exchange.sentBytes = length
  if (!isList(headers) && status !== 304 && status !== 204 && headers['content-length'] === undefined) {
    list.push('content-length', String(length))
  }
  outgoing.writeHead(status, list)
  if (exchange.method === 'HEAD') outgoing.end(written)
  else {
    outgoing.end(body, written)
    if (length >= countedLength) countUnread(exchange, outgoing, length)
  }
}

/** Minimum size of responses that are counted as unread, in bytes. Shorter responses are frequent, and clients read them quickly. */
const countedLength: number = 16 * 1024

/** Counts the bytes of a response as unread until the connection closes. */
function countUnread(exchange: Exchange, outgoing: ServerResponse, length: number): void {
  const { unreadAnswers } = exchange.services
  if (unreadAnswers === undefined || outgoing.destroyed) return
  outgoing.once('close', unreadAnswers.add(exchange.user.name, outgoing, length))
}

/** Returns the exchange's common headers and the response's own headers as alternating names and values. */
function createHeaderList(exchange: Exchange, headers: ResponseHeaders | ResponseHeaderList): string[] {
  if (isList(headers)) return [...exchange.commonHeaders, ...headers]
  const list = [...exchange.commonHeaders]
  for (const name in headers) list.push(name, headers[name]!)
  return list
}

function isList(headers: ResponseHeaders | ResponseHeaderList): headers is ResponseHeaderList {
  return Array.isArray(headers)
}

/** Writes the body of a response in chunks. */
export interface ResponseSink {
  /**
   * Writes a chunk. Returns false if the socket's buffer is full; then the caller must await `waitForDrain()` before the next write. The caller must
   * not modify the bytes until `onWritten` is called. Without `onWritten`, it must never modify them.
   */
  write(chunk: Uint8Array | string, onWritten?: () => void): boolean
  /**
   * Writes a chunk that already includes the framing of chunked encoding, and `bytes` bytes of the body. Returns the same as `write`. Bytes that
   * many responses share are then framed only once. Defined only on HTTP/1.1 for a response without a length.
   */
  readonly writeChunk?: (chunk: Uint8Array, bytes: number) => boolean
  /** Resolves when the socket accepts more data, or when it closes. */
  waitForDrain(): Promise<void>
  /** True after the client has disconnected. Later writes are dropped. */
  readonly closed: boolean
  /** Calls `listener` when the client disconnects, or immediately if it already has. Does not call it after a regular end of the response. */
  onClose(listener: () => void): void
  /** Collects writes until `uncork`, which sends them together. */
  cork(): void
  uncork(): void
}

/**
 * Sends the chunks that `produce` writes, and ends the response when `produce` resolves. If it throws after the headers were sent, closes the
 * connection (on HTTP/2, the stream). The client then notices that the response is incomplete.
 */
export async function sendStream(
  exchange: Exchange,
  status: number,
  headers: ResponseHeaders | ResponseHeaderList,
  produce: (sink: ResponseSink) => Promise<void>,
): Promise<void> {
  const outgoing = exchange.outgoing as ServerResponse
  if (outgoing.destroyed || outgoing.closed) return
  exchange.audit?.respond(status)
  outgoing.writeHead(status, createHeaderList(exchange, headers))
  outgoing.flushHeaders()
  const sink = new NodeSink(exchange, outgoing)
  try {
    await produce(exchange.wrapSink?.(sink) ?? sink)
    const stored = exchange.audit?.complete()
    if (stored !== undefined) await stored
    sink.finish()
  } catch (error) {
    outgoing.destroy()
    throw new BrokenResponseError(error)
  }
}

class NodeSink implements ResponseSink {
  readonly writeChunk?: (chunk: Uint8Array, bytes: number) => boolean
  readonly #exchange: Exchange
  readonly #outgoing: ServerResponse
  readonly #socket: Socket | undefined
  readonly #end = new SinkEnd()

  constructor(exchange: Exchange, outgoing: ServerResponse) {
    this.#exchange = exchange
    this.#outgoing = outgoing
    if (outgoing.chunkedEncoding && outgoing.socket !== null && exchange.method !== 'HEAD') {
      // Writes directly to the socket. The headers were flushed and nothing else is buffered, so the order of bytes is preserved.
      const socket = (this.#socket = outgoing.socket)
      this.writeChunk = (chunk, bytes) => {
        if (this.#end.closed) return true
        exchange.sentBytes += bytes
        return socket.write(chunk)
      }
      socket.on('drain', this.#end.wake)
    }
    // On HTTP/2, a write after the client disconnected emits `error`. The event `close` follows, and its handler ends the sink.
    outgoing.on('error', () => this.#close())
    outgoing.on('close', () => this.#close())
    outgoing.on('drain', this.#end.wake)
  }

  /**
   * True for watches, whose bytes are mostly shared by many responses. Such bytes are not counted as unread. Counting them for each watch would
   * end watches because of memory that is not in use. The cache limits each watch itself.
   */
  get #isShared(): boolean {
    return this.#exchange.attributes.verb === 'watch'
  }

  get closed(): boolean {
    return this.#end.closed
  }

  write(chunk: Uint8Array | string, onWritten?: () => void): boolean {
    if (this.#end.closed) return true
    this.#exchange.sentBytes += chunk.length
    return onWritten === undefined ? this.#outgoing.write(chunk) : this.#outgoing.write(chunk, onWritten)
  }

  async waitForDrain(): Promise<void> {
    if (this.#end.closed || !(this.#outgoing.writableNeedDrain || this.#socket?.writableNeedDrain === true)) return
    const { clientWait, services, user } = this.#exchange
    clientWait?.begin()
    const began = performance.now()
    const read = this.#isShared ? undefined : services.unreadAnswers?.add(user.name, this.#outgoing, this.#outgoing.writableLength)
    await this.#end.wait()
    read?.()
    // Otherwise hundreds of sockets that became writable at the same time would block the thread.
    if (!this.#isShared && !this.#end.closed) await waitForShare(user.name)
    clientWait?.end()
    this.#exchange.addLatency?.('response-write', performance.now() - began)
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
    this.#socket?.off('drain', this.#end.wake)
    if (this.#end.closed) return
    this.#outgoing.end()
    const { writableLength } = this.#outgoing
    if (!this.#isShared && writableLength >= countedLength) countUnread(this.#exchange, this.#outgoing, writableLength)
  }

  #close(): void {
    if (this.#end.closed) return
    this.#socket?.off('drain', this.#end.wake)
    this.#end.close()
  }
}

/** State of a sink's end: whether its reader has disconnected, the writer that waits for it, and the listeners to call. */
export class SinkEnd {
  readonly #listeners: (() => void)[] = []
  #closed = false
  #wake: (() => void) | undefined

  get closed(): boolean {
    return this.#closed
  }

  /** Returns a promise that resolves at the next call of `wake`. */
  wait(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  /** Resumes the waiting writer. Called when there is room for more data, or when the sink has ended. */
  readonly wake = (): void => {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  /** Calls `listener` when the reader disconnects, or immediately if it already has. */
  onClose(listener: () => void): void {
    if (this.#closed) listener()
    else this.#listeners.push(listener)
  }

  /** Marks a regular end of the sink, which does not call the listeners. */
  finish(): void {
    this.#listeners.length = 0
    this.wake()
  }

  close(): void {
    this.#closed = true
    this.wake()
    for (const listener of this.#listeners.splice(0)) listener()
  }
}
