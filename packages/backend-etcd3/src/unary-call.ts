import type { ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'
import { getErrorMessage } from '@keelson/apimachinery'
import type { CallSpan } from '@keelson/apimachinery'
import { grpcCode, newGrpcError, readStatus, mapHttpStatus, mapResetCode, type GrpcStatus } from './grpc-status.ts'
import { addMessageEvent } from './grpc-call-span.ts'
import type { Http2Channel } from './http2-channel.ts'
import type { Http2Connection } from './http2-connection.ts'

/** A gRPC method: its path, and the encodings of its messages. */
export interface UnaryMethod<Request, Answer> {
  readonly path: string
  readonly requestSerialize: (request: Request) => Buffer
  readonly responseDeserialize: (bytes: Buffer) => Answer
}

export interface UnaryCallOptions<Request, Answer> {
  readonly channel: Http2Channel
  readonly method: UnaryMethod<Request, Answer>
  readonly request: Request
  /** Deadline of the call in milliseconds since 1970; undefined for no deadline. */
  readonly deadline: number | undefined
  /** Receives the result. Called once, but never before `start` returns. The error has the properties `code` and `details` of gRPC errors. */
  readonly done: (error: Error | undefined, answer: Answer | undefined) => void
  /** Span of the call, if its request is recorded. Its trace context is sent. */
  readonly recorded?: CallSpan | undefined
}

/** Start of the error message for a call that was never sent. */
const neverSent = 'No connection established'
const prefixLength = 5
const cancelCode = 8

/** A gRPC call with one request and one response over HTTP/2. */
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
    this.#bytes = addFrame(options.method.requestSerialize(options.request))
  }

  start(): void {
    const { channel, deadline } = this.#options
    if (deadline !== undefined) this.#timer = setTimeout(() => this.#handleDeadline(), Math.max(deadline - Date.now(), 0))
    if (channel.current) this.#send(channel.current)
    else {
      channel.connect().then(
        (connection) => this.#send(connection),
        (error: Error) => this.#finish({ code: grpcCode.unavailable, details: `${neverSent}. Last error: ${error.message}` }),
      )
    }
  }

  cancel(): void {
    this.#abandon({ code: grpcCode.cancelled, details: 'cancelled' })
  }

  #handleDeadline(): void {
    this.#abandon({ code: grpcCode.deadlineExceeded, details: this.#stream ? 'Deadline exceeded' : `${neverSent} in time` })
  }

  #abandon(status: GrpcStatus): void {
    if (this.#finished) return
    this.#stream?.close(cancelCode)
    this.#finish(status)
  }

  #send(connection: Http2Connection): void {
    if (this.#finished) return
    const { channel, method, deadline, recorded } = this.#options
    const headers: OutgoingHttpHeaders = {
      ...recorded?.headers,
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
      // `request` throws if the connection was lost just before.
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
      if (this.#ended) this.#handleResponse()
    })
    stream.on('end', () => {
      this.#ended = true
      if (this.#status) this.#handleResponse()
    })
    stream.on('error', (error: Error) => (this.#error = error))
    stream.on('close', () => {
      if (!this.#finished) this.#handleClose(stream.rstCode)
    })
    stream.end(this.#bytes)
    if (recorded !== undefined) addMessageEvent(recorded, 'SENT', this.#bytes.length - prefixLength)
  }

  /** Handles a stream that closed before its response was complete. */
  #handleClose(reset: number): void {
    if (this.#status && this.#status.code !== grpcCode.ok) this.#finish(this.#status)
    else if (this.#connection?.isLost) {
      const { message } = this.#error ?? {}
      this.#finish({ code: grpcCode.unavailable, details: message ? `Connection dropped: ${message}` : 'Connection dropped' })
    } else if (this.#httpStatus !== 0 && this.#httpStatus !== 200) this.#finish(mapHttpStatus(this.#httpStatus))
    else this.#finish(mapResetCode(reset))
  }

  #handleResponse(): void {
    if (this.#finished) return
    const status = this.#status!
    if (status.code !== grpcCode.ok) {
      this.#finish(status)
      return
    }
    const received = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    const { recorded } = this.#options
    if (recorded !== undefined) addMessageEvent(recorded, 'RECEIVED', received.length - prefixLength)
    let answer: Answer
    try {
      answer = this.#options.method.responseDeserialize(removeFrame(received))
    } catch (error) {
      const details = `cannot read the response: ${getErrorMessage(error)}`
      this.#finish({ code: grpcCode.internal, details })
      return
    }
    this.#finish({ code: grpcCode.ok, details: '' }, answer)
  }

  #finish(status: GrpcStatus, answer?: Answer): void {
    if (this.#finished) return
    this.#finished = true
    clearTimeout(this.#timer)
    this.#options.done(status.code === grpcCode.ok ? undefined : newGrpcError(status), answer)
  }
}

/** Adds gRPC's five-byte header to a message: the compression flag and the length. */
function addFrame(message: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(prefixLength + message.length)
  framed[0] = 0
  framed.writeUInt32BE(message.length, 1)
  framed.set(message, prefixLength)
  return framed
}

/** Removes gRPC's header from a message. Throws if the message is compressed, because requests do not offer compression. */
function removeFrame(received: Buffer): Buffer {
  if (received.length < prefixLength) throw new Error('the response contains no message')
  if (received[0] !== 0) throw new Error('the response is compressed, although the request does not offer compression')
  const end = prefixLength + received.readUInt32BE(1)
  if (received.length !== end) throw new Error(`the response has ${received.length} bytes, but its header announces ${end}`)
  return received.subarray(prefixLength)
}
