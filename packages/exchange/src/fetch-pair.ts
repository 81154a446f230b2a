import { Readable, Writable } from 'node:stream'
import type { IncomingHttpHeaders } from 'node:http'
import { ClientGoneError } from './errors.ts'
import type { Incoming, NodePair, Outgoing } from './node-streams.ts'

/** Number of buffered response bytes above which the handler waits for the reader. */
const highWaterMark = 64 * 1024

/** HTTP status codes whose `Response` must not have a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** The two functions that settle the promise of a `Response`. */
export interface FetchOutcome {
  readonly resolve: (response: Response) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Creates a Node request and response for a standard `Request`, so that handlers serve it like one from a connection. When the request's signal
 * aborts or the response's body is cancelled, both end as if the connection had closed.
 */
export function openFetchPair(request: Request, outcome: FetchOutcome): NodePair {
  const incoming = new FetchIncoming(request)
  const outgoing = new FetchOutgoing(incoming, outcome)
  const { signal } = request
  const abort = (): void => void outgoing.destroy(getAbortReason(signal))
  // The caller receives errors through `outcome`. Without this listener, an error would end the process.
  incoming.on('error', (error) => outgoing.destroy(error.cause as Error))
  outgoing.on('error', () => {})
  outgoing.on('close', () => {
    signal.removeEventListener('abort', abort)
    incoming.destroy()
  })
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  return { incoming: incoming as unknown as Incoming, outgoing: outgoing as unknown as Outgoing }
}

function getAbortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError')
}

/** Replaces Node's `IncomingMessage`. Implements only the members that handlers read. */
class FetchIncoming extends Readable {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders = Object.create(null) as IncomingHttpHeaders
  readonly rawHeaders: string[] = []
  readonly httpVersion = '1.1'
  readonly httpVersionMajor = 1
  readonly httpVersionMinor = 1
  /** Replaces the socket of the connection. It has no address and no certificate. */
  readonly socket: object = {}
  readonly #body: ReadableStreamDefaultReader<Uint8Array> | undefined

  constructor(request: Request) {
    super()
    if (request.bodyUsed) throw new TypeError('the request body was already read')
    const { pathname, search, host } = new URL(request.url)
    this.method = request.method
    this.url = pathname + search
    for (const [name, value] of request.headers) this.#addHeader(name, value)
    if (this.headers.host === undefined) this.#addHeader('host', host)
    this.#body = request.body?.getReader()
    // Marks a body of unknown length, like in HTTP/1.1.
    if (this.#body !== undefined && this.headers['content-length'] === undefined) this.#addHeader('transfer-encoding', 'chunked')
  }

  #addHeader(name: string, value: string): void {
    this.headers[name] = value
    this.rawHeaders.push(name, value)
  }

  override _read(): void {
    if (this.#body === undefined) return void this.push(null)
    this.#body.read().then(
      ({ done, value }) => this.push(done ? null : value),
      (cause: unknown) => this.destroy(new ClientGoneError('reading the request body failed', { cause })),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#body?.cancel(error ?? undefined).catch(() => {})
    done(error)
  }
}

/** Replaces Node's `ServerResponse` and produces a `Response`. Implements only the members that handlers use. */
class FetchOutgoing extends Writable {
  readonly req: FetchIncoming
  statusCode = 200
  readonly #outcome: FetchOutcome
  readonly #headers = new Map<string, string | readonly string[]>()
  #headWritten = false
  #responded = false
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Resumes the handler after the reader has consumed the buffered bytes. */
  #wake: (() => void) | undefined

  constructor(req: FetchIncoming, outcome: FetchOutcome) {
    super({ highWaterMark })
    this.req = req
    this.#outcome = outcome
  }

  get headersSent(): boolean {
    return this.#headWritten || this.#responded
  }

  setHeader(name: string, value: string | readonly string[]): this {
    this.#headers.set(name.toLowerCase(), value)
    return this
  }

  /** Sends the status and the headers, which are alternating names and values, or an object. */
  writeHead(status: number, headers: readonly string[] | Readonly<Record<string, string | readonly string[]>> = []): this {
    this.statusCode = status
    this.#headWritten = true
    if (Array.isArray(headers)) {
      const valuesByName = new Map<string, string[]>()
      for (let i = 0; i + 1 < headers.length; i += 2) {
        const name = (headers[i] as string).toLowerCase()
        valuesByName.set(name, [...(valuesByName.get(name) ?? []), headers[i + 1] as string])
      }
      for (const [name, values] of valuesByName) this.#headers.set(name, values)
    } else {
      for (const [name, value] of Object.entries(headers)) this.#headers.set(name.toLowerCase(), value)
    }
    return this
  }

  flushHeaders(): void {
    if (!this.#responded && !this.destroyed) this.#stream()
  }

  /** Ends the response. If nothing was written before, the `Response` gets its whole body without a stream. */
  override end(chunk?: unknown, encoding?: unknown, written?: unknown): this {
    const callback = [chunk, encoding, written].find((argument) => typeof argument === 'function') as (() => void) | undefined
    const isBody = typeof chunk === 'string' || chunk instanceof Uint8Array
    if (!this.#responded && !this.destroyed && this.writableLength === 0) this.#respond(isBody ? copyBytes(chunk) : null)
    else if (isBody) this.write(chunk)
    return super.end(callback)
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    if (!this.#responded) this.#stream()
    const body = this.#body
    if (body === undefined) return done()
    body.enqueue(copyBytes(chunk))
    if ((body.desiredSize ?? 1) > 0) done()
    else this.#wake = done
  }

  override _final(done: () => void): void {
    this.#body?.close()
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.writableFinished) {
      const reason = error ?? new TypeError('the server aborted the response')
      if (this.#responded) this.#body?.error(reason)
      else this.#outcome.reject(reason)
    }
    done(error)
  }

  #stream(): void {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#body = controller),
        pull: () => {
          const wake = this.#wake
          this.#wake = undefined
          wake?.()
        },
        cancel: () => void this.destroy(),
      },
      { highWaterMark, size: (chunk) => chunk.byteLength },
    )
    this.#respond(body)
  }

  #respond(body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null): void {
    this.#responded = true
    const headers = new Headers()
    for (const [name, value] of this.#headers) {
      for (const single of typeof value === 'string' ? [value] : value) headers.append(name, single)
    }
    const status = this.statusCode
    const hasNoBody = bodiless.has(status) || this.req.method === 'HEAD'
    if (hasNoBody) this.#body = undefined
    this.#outcome.resolve(new Response(hasNoBody ? null : body, { status, headers }))
  }
}

/** Copies a chunk of the response body, because handlers reuse their buffers and the reader may keep or modify the chunk. */
function copyBytes(chunk: Uint8Array | string): Uint8Array<ArrayBuffer> {
  return typeof chunk === 'string' ? new TextEncoder().encode(chunk) : new Uint8Array(chunk)
}
