import type { ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'
import { grpcCode, grpcError, readStatus, statusOfHttp, statusOfReset, type GrpcStatus } from './grpc-status.ts'
import type { Http2Channel } from './http2-channel.ts'
import type { Http2Connection } from './http2-connection.ts'

/** A method's address and its messages' forms. */
export interface UnaryMethod<Request, Answer> {
  readonly path: string
  readonly requestSerialize: (request: Request) => Buffer
  readonly responseDeserialize: (bytes: Buffer) => Answer
}

export interface UnaryCallOptions<Request, Answer> {
  readonly channel: Http2Channel
  readonly method: UnaryMethod<Request, Answer>
  readonly request: Request
  /** When it is given up, in milliseconds since the epoch. */
  readonly deadline: number | undefined
  /** Once, and never before `start` returns. The error has gRPC's `code` and `details`. */
  readonly done: (error: Error | undefined, answer: Answer | undefined) => void
}

/** The beginning of what is told of a call that never left. */
const neverSent = 'No connection established'
const prefixLength = 5
const cancelCode = 8

/** One request and one answer, as gRPC sends them over HTTP/2. */
export class UnaryCall<Request, Answer> {
  readonly #options: UnaryCallOptions<Request, Answer>
  readonly #bytes: Buffer
  #timer: NodeJS.Timeout | undefined
  #connection: Http2Connection | undefined
  #stream: ClientHttp2Stream | undefined
  #httpStatus = 0
  #status: GrpcStatus | undefined
  #ended = false
  #finished = false
  #chunks: Buffer[] = []
  #error: Error | undefined

  constructor(options: UnaryCallOptions<Request, Answer>) {
    this.#options = options
    this.#bytes = frame(options.method.requestSerialize(options.request))
  }

  start(): void {
    const { channel, deadline } = this.#options
    if (deadline !== undefined) this.#timer = setTimeout(() => this.#expired(), Math.max(deadline - Date.now(), 0))
    if (channel.current) this.#send(channel.current)
    else {
      channel.connect().then(
        (connection) => this.#send(connection),
        (error: Error) => this.#finish({ code: grpcCode.unavailable, details: `${neverSent}. Last error: ${error.message}` }),
      )
    }
  }

  cancel(): void {
    this.#giveUp({ code: grpcCode.cancelled, details: 'cancelled' })
  }

  #expired(): void {
    this.#giveUp({ code: grpcCode.deadlineExceeded, details: this.#stream ? 'Deadline exceeded' : `${neverSent} in time` })
  }

  #giveUp(status: GrpcStatus): void {
    if (this.#finished) return
    this.#stream?.close(cancelCode)
    this.#finish(status)
  }

  #send(connection: Http2Connection): void {
    if (this.#finished) return
    const { channel, method, deadline } = this.#options
    const headers: OutgoingHttpHeaders = {
      ':method': 'POST',
      ':scheme': channel.scheme,
      ':authority': channel.authority,
      ':path': method.path,
      te: 'trailers',
      'content-type': 'application/grpc',
      'user-agent': 'keelson',
    }
    if (deadline !== undefined) headers['grpc-timeout'] = `${Math.max(Math.ceil(deadline - Date.now()), 1)}m`
    let stream: ClientHttp2Stream
    try {
      stream = connection.request(headers)
    } catch (error) {
      // It has just been lost.
      queueMicrotask(() => this.#finish({ code: grpcCode.unavailable, details: `${neverSent}. Last error: ${(error as Error).message}` }))
      return
    }
    this.#connection = connection
    this.#stream = stream
    stream.on('response', (received: IncomingHttpHeaders & { readonly ':status'?: number }) => {
      this.#httpStatus = received[':status'] ?? 0
      this.#status = readStatus(received)
    })
    stream.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
    stream.on('trailers', (received: IncomingHttpHeaders) => {
      this.#status = readStatus(received) ?? this.#status
      if (this.#ended) this.#answered()
    })
    stream.on('end', () => {
      this.#ended = true
      if (this.#status) this.#answered()
    })
    stream.on('error', (error: Error) => (this.#error = error))
    stream.on('close', () => {
      if (!this.#finished) this.#closed(stream.rstCode)
    })
    stream.end(this.#bytes)
  }

  /** Nothing more comes, and what came is not all. */
  #closed(reset: number): void {
    if (this.#status && this.#status.code !== grpcCode.ok) this.#finish(this.#status)
    else if (this.#connection?.lost) {
      const { message } = this.#error ?? {}
      this.#finish({ code: grpcCode.unavailable, details: message ? `Connection dropped: ${message}` : 'Connection dropped' })
    } else if (this.#httpStatus !== 0 && this.#httpStatus !== 200) this.#finish(statusOfHttp(this.#httpStatus))
    else this.#finish(statusOfReset(reset))
  }

  #answered(): void {
    if (this.#finished) return
    const status = this.#status!
    if (status.code !== grpcCode.ok) {
      this.#finish(status)
      return
    }
    const received = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    let answer: Answer
    try {
      answer = this.#options.method.responseDeserialize(messageOf(received))
    } catch (error) {
      const details = `the answer cannot be read: ${error instanceof Error ? error.message : String(error)}`
      this.#finish({ code: grpcCode.internal, details })
      return
    }
    this.#finish({ code: grpcCode.ok, details: '' }, answer)
  }

  #finish(status: GrpcStatus, answer?: Answer): void {
    if (this.#finished) return
    this.#finished = true
    clearTimeout(this.#timer)
    this.#options.done(status.code === grpcCode.ok ? undefined : grpcError(status), answer)
  }
}

/** The message behind the five bytes that gRPC puts before it: whether it is compressed, and its length. */
function frame(message: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(prefixLength + message.length)
  framed[0] = 0
  framed.writeUInt32BE(message.length, 1)
  framed.set(message, prefixLength)
  return framed
}

/** Compressed is nothing, for it is not said that it could be read. */
function messageOf(received: Buffer): Buffer {
  if (received.length < prefixLength) throw new Error('there is no message')
  if (received[0] !== 0) throw new Error('it is compressed')
  const end = prefixLength + received.readUInt32BE(1)
  if (received.length !== end) throw new Error(`it has ${received.length} bytes in the place of ${end}`)
  return received.subarray(prefixLength)
}
