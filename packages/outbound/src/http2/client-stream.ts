import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { OutboundError, toConnectionError } from '../failure.ts'
import type { StreamedAnswer } from '../open-stream.ts'
import { createFrame, createNumbersFrame, errorCode, errorNames, frameFlag, frameType, Http2ProtocolError, maxPayload } from './frames.ts'
import { maxWindow } from './frames.ts'
import type { DecodedHeaders } from './header-block.ts'
import { HeldChunks, smallChunk } from './held-chunks.ts'

/** The connection of a stream. */
export interface StreamOwner {
  /** Bytes of request bodies that the server accepts on the connection. */
  sendWindow: number
  /** Whether the connection takes more bytes. */
  readonly isWritable: boolean
  /** Writes a frame, whose last bytes may be in `payload`. */
  write(frame: Uint8Array, payload?: Uint8Array): void
  /** Calls `sendBody` of the stream when the connection can take bytes. */
  waitToSend(stream: ClientStream): void
  forget(stream: ClientStream): void
}

export interface StreamHandlers {
  readonly onAnswer: (answer: StreamedAnswer) => void
  /** Called if the stream ends without an answer. */
  readonly onFailure: (error: OutboundError) => void
  /** Called once when both messages are complete and the body was read, or the stream has failed. */
  readonly onClose: () => void
}

export interface StreamSettings {
  readonly id: number
  readonly method: string
  readonly hasBody: boolean
  readonly sendWindow: number
  readonly receiveWindow: number
}

/** Maximum number of informational responses (1xx) before the response, as in Go. */
const maxInformational = 5
/** Response headers of which a message has only one. Later ones are dropped, as Node does over HTTP/1.1. */
const singleHeaders: ReadonlySet<string> = new Set(
  'age content-length content-type etag expires last-modified location retry-after server'.split(' '),
)

/** One request of an HTTP/2 connection and its response. */
export class ClientStream implements StreamedAnswer {
  readonly id: number
  /** Bytes of the request's body that the server accepts. A change of its settings may make it negative. */
  sendWindow: number
  readonly #owner: StreamOwner
  readonly #handlers: StreamHandlers
  readonly #isBodiless: boolean
  readonly #maxReceived: number
  #status = 0
  #rawHeaders: readonly string[] = []
  #headers: IncomingHttpHeaders | undefined
  #informational = 0
  /** Bytes of the response that have not arrived yet; -1 if the response has no length. */
  #missingBytes = -1
  #receiveWindow: number
  #unacknowledged = 0
  /** Bytes that arrived before the body was used, and small parts that the body does not need yet. */
  readonly #held = new HeldChunks()
  #body: ResponseBody | undefined
  #isBodyUsed = false
  /** Whether the server has sent all of the response. */
  #hasEnded = false
  /** Whether the server has ended the response too early, but without an error. */
  #isCut = false
  #hasSent: boolean
  #isClosed = false
  #isReported = false
  #isCanceled = false
  #failure: OutboundError | undefined
  readonly #unsent: Uint8Array[] = []
  #isUnsentLast = false
  #source: Readable | undefined
  #sendChunk: ((chunk: Uint8Array | string) => void) | undefined

  constructor(owner: StreamOwner, { id, method, hasBody, sendWindow, receiveWindow }: StreamSettings, handlers: StreamHandlers) {
    this.id = id
    this.sendWindow = sendWindow
    this.#owner = owner
    this.#handlers = handlers
    this.#isBodiless = method === 'HEAD'
    this.#hasSent = !hasBody
    this.#receiveWindow = receiveWindow
    this.#maxReceived = receiveWindow
  }

  get status(): number {
    return this.#status
  }

  get rawHeaders(): readonly string[] {
    return this.#rawHeaders
  }

  get headers(): IncomingHttpHeaders {
    return (this.#headers ??= joinHeaders(this.#rawHeaders))
  }

  get body(): Readable {
    if (this.#body !== undefined) return this.#body
    const body = (this.#body = new ResponseBody(this))
    this.#isBodyUsed = true
    this.pushHeld()
    if (this.#hasEnded || this.#isCut) body.push(null)
    else if (this.#isClosed) body.destroy(this.#failure)
    return body
  }

  get isComplete(): boolean {
    return this.#hasEnded && (this.#body === undefined ? this.#isBodyUsed : this.#body.readableEnded)
  }

  /** Returns the body if all of it has arrived and `body` was not used. */
  takeWhole(): Buffer | undefined {
    if (!this.#hasEnded || this.#isBodyUsed) return undefined
    this.#isBodyUsed = true
    const chunks = this.#held.take()
    const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    this.#reportClose()
    return whole
  }

  [Symbol.dispose](): void {
    this.cancel()
    this.#isBodyUsed = true
    this.#held.take()
    if (this.#body?.destroyed === false && !this.#body.readableEnded) this.#body.destroy()
    this.#reportClose()
  }

  /** Ends the stream unless both messages are complete. Does not report a failure. */
  cancel(): void {
    if (this.#isClosed) return
    this.#isCanceled = true
    this.#reset(errorCode.cancel)
    if (!this.#hasEnded) this.#body?.destroy()
    this.#reportClose()
  }

  /** Receives a header block: informational headers, the headers of the response, or trailers, which are dropped. */
  receiveHeaders({ list, problem }: DecodedHeaders, isLast: boolean): void {
    if (problem === 'tooLarge')
      return this.#abort(errorCode.cancel, new OutboundError('protocol', 'net/http: server response headers exceeded the limit; aborted'))
    if (problem !== undefined) return this.#abortInvalid('invalid headers')
    if (this.#status !== 0) return isLast ? this.#receiveEnd() : this.#abortInvalid('trailers before the end')
    const status = list[0] === ':status' && /^[1-9]\d\d$/.test(list[1]!) ? Number(list[1]) : 0
    if (status === 0 || status === 101) return this.#abortInvalid('no valid status')
    for (let i = 2; i < list.length; i += 2) if (list[i]!.startsWith(':')) return this.#abortInvalid(`invalid header ${list[i]!}`)
    if (status < 200) {
      if (isLast) return this.#abortInvalid('1xx informational response with END_STREAM flag')
      this.#informational++
      if (this.#informational > maxInformational)
        this.#abort(errorCode.cancel, new OutboundError('protocol', 'net/http: too many 1xx informational responses'))
      return
    }
    this.#rawHeaders = list
    if (!this.#isBodiless && status !== 204 && status !== 304) {
      const length = findLength(list)
      if (length === undefined) return this.#abortInvalid('invalid content-length')
      this.#missingBytes = length
    } else this.#missingBytes = 0
    this.#status = status
    this.#handlers.onAnswer(this)
    if (isLast) this.#receiveEnd()
  }

  /** Receives a part of the response's body. */
  receiveData(chunk: Buffer, flowSize: number, isLast: boolean): void {
    this.#receiveWindow -= flowSize
    if (this.#receiveWindow < 0) throw new Http2ProtocolError(errorCode.flowControl, 'more bytes than the window of a stream')
    if (this.#isClosed || this.#hasEnded) return
    if (this.#status === 0) return this.#abortInvalid('a body before the headers')
    if (this.#missingBytes >= 0 && (this.#missingBytes -= chunk.length) < 0) return this.#abortInvalid('more bytes than announced')
    this.#unacknowledged += flowSize
    if (chunk.length > 0 && (this.#body !== undefined || !this.#isBodyUsed)) {
      if (this.#body === undefined || (chunk.length < smallChunk && this.#body.mayWait)) this.#held.add(chunk)
      else {
        this.pushHeld()
        if (this.#body.push(chunk) && !isLast) this.acknowledge()
      }
    }
    if (isLast) this.#receiveEnd()
  }

  /** Passes the bytes that were held back to the body. */
  pushHeld(): void {
    if (this.#held.size === 0) return
    for (const chunk of this.#held.take()) this.#body?.push(chunk)
  }

  /** Allows the server to send as many bytes as were read. */
  acknowledge(): void {
    const bytes = this.#unacknowledged - (this.#body?.readableLength ?? 0) - this.#held.size
    if (bytes < this.#maxReceived / 2 || this.#hasEnded || this.#isClosed) return
    this.#unacknowledged -= bytes
    this.#receiveWindow += bytes
    this.#owner.write(createNumbersFrame({ type: frameType.windowUpdate, flags: 0, stream: this.id }, bytes))
  }

  receiveReset(code: number): void {
    if (this.#isClosed) return
    // A server may stop an upload after a complete response.
    if (this.#hasEnded) {
      this.#close()
      this.#reportClose()
    } else if (code === errorCode.refusedStream) this.fail(new OutboundError('refused', 'http2: server sent REFUSED_STREAM'))
    else if (code !== errorCode.none && code !== errorCode.cancel)
      this.fail(new OutboundError('closed', `stream error: ${errorNames[code] ?? code}; received from peer`))
    else if (this.#status === 0) this.fail(new OutboundError('closed', 'unexpected EOF'))
    else {
      this.#isCut = true
      this.#close()
      this.#pushEnd()
      this.#reportClose()
    }
  }

  receiveWindowUpdate(bytes: number): void {
    this.sendWindow += bytes
    if (this.sendWindow > maxWindow) this.#abort(errorCode.flowControl, new OutboundError('protocol', 'http2: a window is too large'))
  }

  /** Ends the stream because the connection or the server has. */
  fail(error: OutboundError): void {
    if (this.#isClosed) return
    this.#failure = error
    this.#close()
    if (this.#status === 0) {
      this.#isBodyUsed = true
      this.#handlers.onFailure(error)
    } else this.#body?.destroy(error)
    this.#reportClose()
  }

  /** Sends the request's body. A stream is not read faster than the server accepts its bytes. */
  startBody(body: Uint8Array | Readable): void {
    if (body instanceof Uint8Array) {
      this.#unsent.push(body)
      this.#isUnsentLast = true
      return this.sendBody()
    }
    this.#source = body
    this.#sendChunk = (chunk) => {
      this.#unsent.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
      this.sendBody()
      if (this.#unsent.length === 0 && this.#owner.isWritable) return
      body.pause()
      if (!this.#isClosed) this.#owner.waitToSend(this)
    }
    body.on('data', this.#sendChunk)
    body.on('end', () => {
      this.#isUnsentLast = true
      this.sendBody()
    })
    body.on('error', (error) => this.#abort(errorCode.cancel, toConnectionError(error)))
  }

  /** Sends as much of the request's body as the windows allow. */
  sendBody(): void {
    const owner = this.#owner
    while (!this.#isClosed && this.#unsent.length > 0) {
      const chunk = this.#unsent[0]!
      const size = chunk.length === 0 ? 0 : Math.min(chunk.length, maxPayload, this.sendWindow, owner.sendWindow)
      if (size <= 0 && chunk.length > 0) return owner.waitToSend(this)
      if (size === chunk.length) this.#unsent.shift()
      else this.#unsent[0] = chunk.subarray(size)
      this.sendWindow -= size
      owner.sendWindow -= size
      const isLast = this.#isUnsentLast && this.#unsent.length === 0
      const flags = isLast ? frameFlag.endStream : 0
      if (size > 0 || isLast) {
        owner.write(createFrame({ type: frameType.data, flags, stream: this.id }, 0, size), chunk.subarray(0, size))
      }
      if (isLast) return this.#endSent()
    }
    if (this.#isClosed || this.#hasSent) return
    if (this.#isUnsentLast) {
      owner.write(createFrame({ type: frameType.data, flags: frameFlag.endStream, stream: this.id }, 0))
      this.#endSent()
    } else if (this.#source === undefined) return
    else if (owner.isWritable) this.#source.resume()
    else owner.waitToSend(this)
  }

  #endSent(): void {
    this.#hasSent = true
    if (this.#hasEnded) this.#close()
    this.#reportClose()
  }

  #receiveEnd(): void {
    if (this.#missingBytes > 0) return this.#abortInvalid('fewer bytes than announced')
    this.#hasEnded = true
    if (this.#hasSent) this.#close()
    this.#pushEnd()
    this.#reportClose()
  }

  #pushEnd(): void {
    if (this.#body === undefined) return
    this.pushHeld()
    this.#body.push(null)
  }

  #abortInvalid(text: string): void {
    this.#abort(errorCode.protocol, new OutboundError('protocol', `http2: malformed response: ${text}`))
  }

  #abort(code: number, error: OutboundError): void {
    if (this.#isClosed) return
    this.#reset(code)
    this.#isClosed = false
    this.fail(error)
  }

  #reset(code: number): void {
    this.#owner.write(createNumbersFrame({ type: frameType.resetStream, flags: 0, stream: this.id }, code))
    this.#close()
  }

  #close(): void {
    this.#isClosed = true
    this.#unsent.length = 0
    if (this.#sendChunk !== undefined) this.#source?.off('data', this.#sendChunk).pause()
    this.#owner.forget(this)
  }

  /** Called when the body was read to its end, or destroyed. */
  endBody(): void {
    if (!this.#hasEnded) this.cancel()
    this.#reportClose()
  }

  #reportClose(): void {
    if (this.#isReported || !this.#isClosed) return
    const isRead = this.#body === undefined ? this.#isBodyUsed : this.#body.destroyed || this.#body.readableEnded
    if (!isRead && this.#failure === undefined && !this.#isCanceled) return
    this.#isReported = true
    this.#handlers.onClose()
  }
}

/** The body of a response as a stream. */
class ResponseBody extends Readable {
  readonly #stream: ClientStream

  constructor(stream: ClientStream) {
    super()
    this.#stream = stream
    // An `error` event without a listener would end the process: the stream may fail before its answer is read.
    this.on('error', () => {})
  }

  /** Whether the next bytes are needed only after a call of `read`: the buffer is full, or the reader has paused. */
  get mayWait(): boolean {
    const isPaused = this.readableFlowing === false && this.listenerCount('readable') === 0
    return this.readableLength > 0 && (isPaused || this.readableLength >= this.readableHighWaterMark)
  }

  override read(size?: number): unknown {
    this.#stream.pushHeld()
    return super.read(size)
  }

  override _read(): void {
    this.#stream.acknowledge()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    done(error)
    this.#stream.endBody()
  }
}

/** Returns the announced length of a body; -1 if there is none, and undefined if it is not valid. */
function findLength(list: readonly string[]): number | undefined {
  let found = -1
  for (let i = 0; i < list.length; i += 2) {
    if (list[i] !== 'content-length') continue
    const length = /^\d{1,15}$/.test(list[i + 1]!) ? Number(list[i + 1]) : undefined
    if (length === undefined || (found >= 0 && found !== length)) return undefined
    found = length
  }
  return found
}

/** Joins the values of each header name, as Node does. */
function joinHeaders(list: readonly string[]): IncomingHttpHeaders {
  const headers = Object.create(null) as Record<string, string | string[]>
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i]!
    const value = list[i + 1]!
    const existing = headers[name]
    if (name === 'set-cookie') headers[name] = existing === undefined ? [value] : [...existing, value]
    else if (existing === undefined) headers[name] = value
    else if (!singleHeaders.has(name)) headers[name] = `${existing as string}, ${value}`
  }
  return headers
}
