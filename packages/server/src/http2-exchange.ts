import { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Http2Session, IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'

const ignore = (): void => {}

/** Connection-specific headers, which HTTP/2 forbids. */
const connectionHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

const maxNames = 256
const maxNameLength = 64
const names = new Map<string, string>()

/** Returns the HTTP/2 name of a header, or "" for a forbidden header. Results are cached, because programs use few names. */
function nameOnWire(name: string): string {
  const cached = names.get(name)
  if (cached !== undefined) return cached
  const lower = name.toLowerCase()
  const written = connectionHeaders.has(lower) ? '' : lower
  if (names.size < maxNames && name.length <= maxNameLength) names.set(name, written)
  return written
}

/** The address of a client. The socket of a session cannot be used after the session has ended. */
interface ClientAddress {
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
}

const addresses = new WeakMap<Http2Session, ClientAddress>()

function findAddress({ session }: ServerHttp2Stream): ClientAddress {
  if (session === undefined || session.destroyed) return { remoteAddress: undefined, remotePort: undefined }
  let address = addresses.get(session)
  if (address === undefined) {
    const { remoteAddress, remotePort } = session.socket
    addresses.set(session, (address = { remoteAddress, remotePort }))
  }
  return address
}

/**
 * An HTTP/2 request without a body. It has only the members that the server reads. Node's own request is a second stream on top of the
 * HTTP/2 stream, and creating it costs more than a small response.
 */
export class Http2Incoming {
  readonly httpVersion = '2.0'
  readonly httpVersionMajor = 2
  readonly httpVersionMinor = 0
  readonly stream: ServerHttp2Stream
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: string[]
  /** The members of a socket that the server reads. They stay after the request has ended, for its log and its audit. */
  readonly socket: ClientAddress

  /** Returns whether this class can represent a request: it must have no body and no `Expect` header. */
  static suffices(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean {
    const method = headers[':method']
    return (method === 'GET' || method === 'HEAD') && stream.endAfterHeaders && headers.expect === undefined
  }

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: string[]) {
    // An `error` event without a listener would end the process.
    stream.on('error', ignore)
    this.stream = stream
    this.headers = headers
    this.rawHeaders = rawHeaders
    this.socket = findAddress(stream)
  }

  get method(): string {
    return this.headers[':method'] as string
  }

  get url(): string {
    return this.headers[':path'] as string
  }

  get readableEnded(): boolean {
    return true
  }

  get destroyed(): boolean {
    return this.stream.destroyed
  }

  /** Creates Node's own request and response, for handlers that need streams. */
  getNodePair(): { readonly incoming: Http2ServerRequest; readonly outgoing: Http2ServerResponse } {
    const { stream } = this
    return { incoming: new Http2ServerRequest(stream, this.headers, {}, this.rawHeaders), outgoing: new Http2ServerResponse(stream) }
  }
}

/** Response to an `Http2Incoming`. It has the members of Node's response that the server uses, and writes to the HTTP/2 stream directly. */
export class Http2Outgoing {
  readonly stream: ServerHttp2Stream
  readonly req: Http2Incoming
  #status = 200
  /** Headers that were set before `writeHead`, by lower-case name. */
  #set: Map<string, string | readonly string[]> | undefined
  #head: string[] | undefined

  constructor(req: Http2Incoming) {
    this.stream = req.stream
    this.req = req
  }

  /** Status that was sent, either by this class or directly on the stream. */
  get statusCode(): number {
    return this.#head === undefined && this.stream.headersSent ? Number(this.stream.sentHeaders[':status']) : this.#status
  }

  set statusCode(status: number) {
    this.#status = status
  }

  get headersSent(): boolean {
    return this.#head !== undefined || this.stream.headersSent
  }

  get destroyed(): boolean {
    return this.stream.destroyed
  }

  get closed(): boolean {
    return this.stream.closed
  }

  get writableEnded(): boolean {
    return this.stream.writableEnded
  }

  get writableFinished(): boolean {
    return this.stream.writableFinished
  }

  get writableLength(): number {
    return this.stream.writableLength
  }

  get writableNeedDrain(): boolean {
    return this.stream.writableNeedDrain
  }

  setHeader(name: string, value: string | readonly string[]): this {
    const written = nameOnWire(name)
    if (written !== '') (this.#set ??= new Map()).set(written, value)
    return this
  }

  /** Writes the status and headers. `headers` alternates names and values. They replace headers of the same name that were set earlier. */
  writeHead(status: number, headers: readonly string[] = []): this {
    const head = [':status', String(status)]
    for (let i = 0; i < headers.length; i += 2) {
      const name = nameOnWire(headers[i]!)
      if (name === '') continue
      this.#set?.delete(name)
      head.push(name, headers[i + 1]!)
    }
    if (this.#set !== undefined) {
      for (const [name, value] of this.#set) {
        for (const single of typeof value === 'string' ? [value] : value) head.push(name, single)
      }
    }
    this.#status = status
    this.#head = head
    return this
  }

  flushHeaders(): void {
    this.#respond(false)
  }

  write(chunk: Uint8Array | string, written?: () => void): boolean {
    this.#respond(false)
    return written === undefined ? this.stream.write(chunk) : this.stream.write(chunk, written)
  }

  end(chunk?: Uint8Array | string | (() => void), written?: () => void): this {
    const { stream } = this
    const body = typeof chunk === 'function' ? undefined : chunk
    const callback = typeof chunk === 'function' ? chunk : written
    if (this.#respond(body === undefined) && body === undefined) {
      if (callback !== undefined) process.nextTick(callback)
      return this
    }
    // Handles the error argument, because Node also calls back if the stream ended with an error.
    const ended = callback && ((error?: Error | null) => void (error || callback()))
    if (body === undefined) stream.end(ended)
    else stream.end(body, ended)
    return this
  }

  destroy(error?: Error): this {
    this.stream.destroy(error)
    return this
  }

  on(event: string, listener: () => void): this {
    this.stream.on(event, listener)
    return this
  }

  once(event: string, listener: () => void): this {
    this.stream.once(event, listener)
    return this
  }

  off(event: string, listener: () => void): this {
    this.stream.off(event, listener)
    return this
  }

  /** Sends the status and headers. Returns false if they were sent earlier, or if the client has disconnected. */
  #respond(endStream: boolean): boolean {
    const { stream } = this
    if (stream.headersSent || stream.destroyed || stream.closed) return false
    if (this.#head === undefined) this.writeHead(this.#status)
    const head = this.#head!
    stream.respond(takesLists ? head : toHeaderObject(head), { endStream })
    return true
  }
}

/** True if `respond` accepts a list of headers. Older versions of Node accept only an object. */
const takesLists = Number(process.versions.node.split('.')[0]) >= 26

function toHeaderObject(list: readonly string[]): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = {}
  for (let i = 0; i < list.length; i += 2) {
    const existing = headers[list[i]!]
    headers[list[i]!] = existing === undefined ? list[i + 1]! : [existing, list[i + 1]!].flat()
  }
  return headers
}
