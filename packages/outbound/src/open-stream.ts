import { request as requestHttp1 } from 'node:http'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { ReservedConnection } from './connections.ts'
import { OutboundError, toConnectionError } from './failure.ts'
import type { ClientStream } from './http2/client-stream.ts'

export interface Message {
  readonly method: string
  /** Value of the Host header: "host:port", or "host" if the port is the scheme's default. */
  readonly authority: string
  readonly scheme: 'https' | 'http'
  /** Path and query of the URL. */
  readonly path: string
  /** Header names and values, alternating. */
  readonly headers: readonly string[]
  /** Complete body, or a stream. A stream without a `content-length` header is sent in chunks. */
  readonly body: Uint8Array | Readable | undefined
}

/** A response whose body has not been read yet. Disposing it closes the connection (HTTP/2: the stream) unless both messages are complete. */
export interface StreamedAnswer extends Disposable {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Header names and values as received, alternating. Over HTTP/2 this includes `:status`. */
  readonly rawHeaders: readonly string[]
  /** The body. The server can send only as fast as it is read. After its `end`, `isComplete` tells whether the server has sent all of it. */
  readonly body: Readable
  readonly isComplete: boolean
  /** Returns the body if all of it has arrived and `body` was not used. Never over HTTP/1.1. */
  takeWhole?(): Buffer | undefined
}

export interface OpenOptions {
  /** Aborts the request, also while the body of the response is read. */
  readonly signal: AbortSignal
  /** Called once when neither the request nor the response uses the connection any longer. */
  readonly onClose: () => void
}

/** Maximum number of informational responses (1xx) before the response, as in Go. */
const maxInformational = 5
/** Maximum size in bytes of the headers of a response. Node's default of 16 KB is less than some servers send; Go accepts 10 MB. */
const maxHeaderSize = 64 * 1024

/**
 * Sends a request over a reserved connection. Resolves when the headers of the response have arrived. Rejects with an `OutboundError`, or
 * with the signal's reason.
 */
export function openStream(connection: ReservedConnection, message: Message, options: OpenOptions): Promise<StreamedAnswer> {
  return connection.protocol === 'h2' ? openHttp2(connection, message, options) : openHttp1(connection, message, options)
}

function openHttp2(
  { session, isReused }: ReservedConnection & { protocol: 'h2' },
  message: Message,
  { signal, onClose }: OpenOptions,
): Promise<StreamedAnswer> {
  const { method, scheme, authority, path, body } = message
  return new Promise((resolve, reject) => {
    const pseudoHeaders = [':method', method, ':scheme', scheme, ':authority', authority, ':path', path]
    const headers = pseudoHeaders.concat(message.headers, listBodyHeaders(message, 'h2'))
    const abort = (): void => {
      reject(signal.reason as Error)
      stream.cancel()
    }
    let stream: ClientStream
    try {
      stream = session.open(
        { method, hasBody: body !== undefined, headers },
        {
          onAnswer: resolve,
          onFailure(error) {
            const isStale = isReused && !session.isOpen && (error.kind === 'closed' || error.kind === 'reset')
            reject(isStale ? createStaleConnectionError(error) : error)
          },
          onClose() {
            signal.removeEventListener('abort', abort)
            onClose()
          },
        },
      )
    } catch (error) {
      return reject(toRequestError(error))
    }
    signal.addEventListener('abort', abort, { once: true })
    if (body !== undefined) stream.startBody(body)
  })
}

function openHttp1(
  connection: ReservedConnection & { protocol: 'http/1.1' },
  message: Message,
  { signal, onClose }: OpenOptions,
): Promise<StreamedAnswer> {
  return new Promise((resolve, reject) => {
    let request: ClientRequest
    try {
      request = requestHttp1({
        agent: connection.agent,
        // Node requires a host as the key of the agent's pool. The agent always dials the client's only destination.
        host: 'localhost',
        method: message.method,
        path: message.path,
        maxHeaderSize,
        headers: ['Host', message.authority, ...message.headers, ...listBodyHeaders(message, 'http/1.1'), 'Connection', 'keep-alive'],
      })
    } catch (error) {
      return reject(toRequestError(error))
    }
    const abort = (): void => {
      reject(signal.reason as Error)
      request.destroy()
    }
    signal.addEventListener('abort', abort, { once: true })
    let hasAnswered = false
    request.once('close', () => {
      signal.removeEventListener('abort', abort)
      onClose()
      if (!hasAnswered) reject(new OutboundError('closed', 'EOF'))
    })
    request.on('error', (error) => {
      const failure = toConnectionError(error)
      // The server closed the idle connection while the request was being sent.
      reject(
        request.reusedSocket && (failure.kind === 'reset' || failure.kind === 'closed') ? createStaleConnectionError(failure) : failure,
      )
    })
    request.on(
      'information',
      limitInformational((error) => request.destroy(error)),
    )
    request.once('response', (response) => {
      hasAnswered = true
      resolve(new Http1Answer(request, response))
    })
    sendBody(request, message.body)
  })
}

class Http1Answer implements StreamedAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: IncomingMessage
  readonly #request: ClientRequest

  constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request
    this.status = response.statusCode ?? 0
    this.headers = response.headers
    this.rawHeaders = response.rawHeaders
    this.body = response
    // Without a listener, Node would not report a response that ends too early.
    response.on('error', () => {})
  }

  get isComplete(): boolean {
    return this.body.complete
  }

  [Symbol.dispose](): void {
    if (!this.body.complete || !this.#request.writableFinished) this.#request.destroy()
  }
}

/** Returns the headers that announce the body, unless the caller has set its length. */
function listBodyHeaders({ headers, body }: Message, protocol: ReservedConnection['protocol']): readonly string[] {
  if (body instanceof Uint8Array) return ['content-length', String(body.byteLength)]
  if (body === undefined || protocol === 'h2') return []
  for (let i = 0; i < headers.length; i += 2) if (headers[i]!.toLowerCase() === 'content-length') return []
  return ['transfer-encoding', 'chunked']
}

function sendBody(outgoing: ClientRequest, body: Message['body']): void {
  if (body === undefined || body instanceof Uint8Array) return void outgoing.end(body)
  // Uses `pipe` instead of `pipeline`: if the server responds before it has read the whole request, the response must still arrive.
  body.on('error', () => outgoing.destroy())
  body.pipe(outgoing)
}

/** Returns a listener for informational responses. A server that sends them without end would keep this one busy. */
function limitInformational(destroy: (error: OutboundError) => void): () => void {
  let count = 0
  return () => {
    if (++count > maxInformational) destroy(new OutboundError('protocol', 'net/http: too many 1xx informational responses'))
  }
}

/** Converts the error of a request that could not be started. */
function toRequestError(error: unknown): OutboundError {
  const failure = toConnectionError(error)
  return failure.kind === 'refused' ? failure : new OutboundError('protocol', failure.message, { cause: error })
}

/** The failure of a request on a reused connection before any response arrived. */
class StaleConnectionError extends OutboundError {
  readonly isStale = true
}

function createStaleConnectionError({ kind, message, cause }: OutboundError): OutboundError {
  return new StaleConnectionError(kind, message, { cause })
}

export function isStale(error: OutboundError): boolean {
  return 'isStale' in error
}
