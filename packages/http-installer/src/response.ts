import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { methodOf } from './context.ts'
import type { InstallerContext } from './context.ts'
import { SinkEnd } from './sink-end.ts'

export type ResponseHeaders = Record<string, string>

/**
 * Writes a whole answer. On node it goes to the socket directly: no `Response`, no stream, and content-length is known. The body is the
 * answer's until `written` is called; where that never happens the client has left.
 */
export function sendBytes(
  c: InstallerContext,
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | string,
  written?: () => void,
): Response {
  const outgoing = c.env?.outgoing as ServerResponse | undefined
  if (outgoing === undefined) return c.body(body as Uint8Array<ArrayBuffer> | string, status as 200, headers)
  if (outgoing.headersSent) {
    // The head of another answer is out: all that can be said now is that it is not whole, unless it is (the server's 504 for a late handler).
    if (!outgoing.writableEnded) outgoing.destroy()
    return RESPONSE_ALREADY_SENT
  }
  const list = headerList(c, headers)
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  c.env.sentBytes = length
  if (status !== 304 && status !== 204 && headers['content-length'] === undefined) list.push('content-length', String(length))
  outgoing.writeHead(status, list)
  if (methodOf(c) === 'HEAD') outgoing.end(written)
  else {
    outgoing.end(body, written)
    if (length >= countedLength) countUnread(c, outgoing, length)
  }
  return RESPONSE_ALREADY_SENT
}

/** Smaller answers are too many, and too soon taken, to count each. */
const countedLength = 16 * 1024

function countUnread(c: InstallerContext, outgoing: ServerResponse, length: number): void {
  const { unreadAnswers } = c.env
  if (unreadAnswers === undefined || outgoing.destroyed) return
  outgoing.once('close', unreadAnswers.add(userOf(c), outgoing, length))
}

function userOf(c: InstallerContext): string {
  return c.get('requestContext')?.user.name ?? ''
}

function headerList(c: InstallerContext, headers: ResponseHeaders): string[] {
  const list = c.env.commonHeaders === undefined ? [] : [...c.env.commonHeaders]
  for (const name in headers) list.push(name, headers[name]!)
  return list
}

/** An answer that is written piece by piece. */
export interface ResponseSink {
  /**
   * False: enough is waiting for the socket; await `drained()` before writing on. The sink owns the bytes until `written` is called
   * (for good when there is none).
   */
  write(chunk: Uint8Array | string, written?: () => void): boolean
  /**
   * On HTTP/1.1 without a length: writes a whole chunk with its framing around it, as it goes over the wire. Bytes that many answers have in common
   * are framed once, and the socket need not put them together for each. Answers as `write` does.
   */
  readonly writeChunk?: (chunk: Uint8Array) => boolean
  /** Resolves when the socket takes more, and when it is closed. */
  drained(): Promise<void>
  /** The client is gone. What is written after that is dropped. */
  readonly closed: boolean
  /** Called at once when the client leaves (not after a regular end). */
  onClose(listener: () => void): void
  /** Many small writes between the two become one. */
  cork(): void
  uncork(): void
}

/**
 * Answers with what `produce` writes; the answer ends when it resolves. When it throws after the head was sent, the connection
 * (HTTP/2: the stream) is broken off, so that no client takes half an answer for a whole one.
 */
export async function sendStream(
  c: InstallerContext,
  status: number,
  headers: ResponseHeaders,
  produce: (sink: ResponseSink) => Promise<void>,
): Promise<Response> {
  const outgoing = c.env?.outgoing as ServerResponse | undefined
  if (outgoing === undefined) return fetchResponse(c, status, headers, produce)
  if (outgoing.destroyed || outgoing.closed) return RESPONSE_ALREADY_SENT
  outgoing.writeHead(status, headerList(c, headers))
  outgoing.flushHeaders()
  const sink = new NodeSink(c, outgoing)
  try {
    await produce(sink)
    c.env.sentBytes = sink.bytes
    sink.finish()
  } catch (error) {
    outgoing.destroy()
    throw new BrokenResponseError(error)
  }
  return RESPONSE_ALREADY_SENT
}

/** The answer began and could not be finished; nothing more can be said to the client. */
export class BrokenResponseError extends Error {
  constructor(cause: unknown) {
    super('the answer was broken off', { cause })
    this.name = 'BrokenResponseError'
  }
}

class NodeSink implements ResponseSink {
  readonly writeChunk?: (chunk: Uint8Array) => boolean
  readonly #outgoing: ServerResponse
  readonly #socket: Socket | undefined
  readonly #c: InstallerContext
  readonly #end = new SinkEnd()
  /** Written, without framing. */
  bytes = 0

  constructor(c: InstallerContext, outgoing: ServerResponse) {
    this.#c = c
    this.#outgoing = outgoing
    if (outgoing.chunkedEncoding && outgoing.socket !== null && outgoing.req.method !== 'HEAD') {
      // The head has been flushed and nothing of this answer waits elsewhere, so order is kept.
      const socket = (this.#socket = outgoing.socket)
      this.writeChunk = (chunk) => this.#end.closed || socket.write(chunk)
      socket.on('drain', this.#end.awake)
    }
    // A write after the client left raises `error` on HTTP/2; `close` follows and is what counts.
    outgoing.on('error', () => this.#close())
    outgoing.on('close', () => this.#close())
    outgoing.on('drain', this.#end.awake)
  }

  /** Watches have most of their bytes in common, so that to count them for each would end watches for memory that is not used; the cache bounds what each keeps. */
  get #isShared(): boolean {
    return this.#c.get('requestContext')?.info.verb === 'watch'
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
    const { clientWait } = this.#c.env
    clientWait?.begin()
    const read = this.#isShared ? undefined : this.#c.env.unreadAnswers?.add(userOf(this.#c), this.#outgoing, this.#outgoing.writableLength)
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
    if (!this.#isShared && writableLength >= countedLength) countUnread(this.#c, this.#outgoing, writableLength)
  }

  #close(): void {
    if (this.#end.closed) return
    this.#socket?.off('drain', this.#end.awake)
    this.#end.close()
  }
}

const highWaterMark = 256 * 1024

/** For `app.request()` and other fetch-style servers. */
function fetchResponse(
  c: InstallerContext,
  status: number,
  headers: ResponseHeaders,
  produce: (sink: ResponseSink) => Promise<void>,
): Response {
  let wake: (() => void) | undefined
  let closed = false
  const listeners: (() => void)[] = []
  const awake = (): void => {
    wake?.()
    wake = undefined
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const sink: ResponseSink = {
          write(chunk) {
            if (closed) return true
            controller.enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
            return (controller.desiredSize ?? 1) > 0
          },
          drained: () => (closed || (controller.desiredSize ?? 1) > 0 ? Promise.resolve() : new Promise((resolve) => (wake = resolve))),
          get closed() {
            return closed
          },
          onClose: (listener) => void (closed ? listener() : listeners.push(listener)),
          cork() {},
          uncork() {},
        }
        produce(sink).then(
          () => void (closed || controller.close()),
          (error: unknown) => void (closed || controller.error(error)),
        )
      },
      pull: awake,
      cancel() {
        closed = true
        awake()
        for (const listener of listeners.splice(0)) listener()
      },
    },
    { highWaterMark, size: (chunk) => chunk.byteLength },
  )
  return c.body(body, status as 200, headers)
}
