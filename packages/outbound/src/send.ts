import { request as requestHttp1 } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { constants } from 'node:http2'
import type { ClientHttp2Stream } from 'node:http2'
import type { Readable } from 'node:stream'
import type { ReservedConnection } from './connections.ts'
import { OutboundError, toConnectionError } from './failure.ts'

export interface Message {
  readonly method: string
  /** Value of the Host header: "host:port", or "host" if the port is the scheme's default. */
  readonly authority: string
  readonly scheme: 'https' | 'http'
  /** Path and query of the URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** `isAnswered` becomes true when the status and the headers of the response arrive. */
  readonly progress: { isAnswered: boolean }
}

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface SendOptions {
  readonly signal: AbortSignal
  readonly maxBytes: number
}

/** Sends a request over a reserved connection. Rejects with an `OutboundError`, or with the signal's reason. */
export function send(connection: ReservedConnection, message: Message, options: SendOptions): Promise<RawAnswer> {
  return connection.protocol === 'h2' ? sendHttp2(connection, message, options) : sendHttp1(connection, message, options)
}

function sendHttp2(connection: ReservedConnection & { protocol: 'h2' }, message: Message, options: SendOptions): Promise<RawAnswer> {
  const { signal, maxBytes } = options
  return new Promise<RawAnswer>((resolve, reject) => {
    const headers = {
      ...message.headers,
      ':method': message.method,
      ':scheme': message.scheme,
      ':authority': message.authority,
      ':path': message.path,
      ...(message.body !== undefined && { 'content-length': String(message.body.byteLength) }),
    }
    let stream: ClientHttp2Stream
    try {
      stream = connection.session.request(headers, { endStream: message.body === undefined })
    } catch (error) {
      // The session was closed before the stream was opened, so nothing was sent.
      const isGone = /^ERR_HTTP2_(GOAWAY_SESSION|INVALID_SESSION|OUT_OF_STREAMS)$/.test((error as NodeJS.ErrnoException).code ?? '')
      throw new OutboundError(isGone ? 'refused' : 'protocol', (error as Error).message, { cause: error })
    }
    const abort = (): void => {
      reject(signal.reason as Error)
      stream.close(constants.NGHTTP2_CANCEL)
    }
    signal.addEventListener('abort', abort, { once: true })
    stream.once('close', () => {
      signal.removeEventListener('abort', abort)
      connection.release()
      reject(new OutboundError(stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ? 'refused' : 'closed', 'unexpected EOF'))
    })
    // The session's error has more details than the stream's error.
    stream.once('error', (error) => reject(toConnectionError(error)))
    stream.once('response', (headers) => {
      message.progress.isAnswered = true
      collect(stream, maxBytes).then(
        (body) => resolve({ status: Number(headers[':status']), headers, body }),
        (error: unknown) => {
          reject(toConnectionError(error))
          stream.close(constants.NGHTTP2_CANCEL)
        },
      )
    })
    if (message.body !== undefined) stream.end(message.body)
  })
}

function sendHttp1(connection: ReservedConnection & { protocol: 'http/1.1' }, message: Message, options: SendOptions): Promise<RawAnswer> {
  const { signal, maxBytes } = options
  return new Promise<RawAnswer>((resolve, reject) => {
    const request = requestHttp1({
      agent: connection.agent,
      // Node requires a host as the key of the agent's pool. The agent always dials the client's only destination.
      host: 'localhost',
      method: message.method,
      path: message.path,
      setDefaultHeaders: false,
      headers: {
        Host: message.authority,
        ...message.headers,
        ...(message.body !== undefined && { 'Content-Length': String(message.body.byteLength) }),
        Connection: 'keep-alive',
      },
    })
    const abort = (): void => {
      reject(signal.reason as Error)
      request.destroy()
    }
    signal.addEventListener('abort', abort, { once: true })
    request.once('close', () => {
      signal.removeEventListener('abort', abort)
      connection.release()
    })
    request.once('error', (error) => {
      const failure = toConnectionError(error)
      // The server closed the idle connection while the request was being sent.
      reject(
        request.reusedSocket && (failure.kind === 'reset' || failure.kind === 'closed') ? createStaleConnectionError(failure) : failure,
      )
    })
    request.once('response', (response) => {
      message.progress.isAnswered = true
      collect(response, maxBytes).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        (error: unknown) => {
          reject(toConnectionError(error))
          request.destroy()
        },
      )
    })
    request.end(message.body)
  })
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

async function collect(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.byteLength
    if (size > maxBytes) throw new OutboundError('tooLarge', `the answer is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
}
