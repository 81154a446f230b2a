import { connect } from 'node:tls'
import type { MadeRequest } from './request-maker.ts'
import { ResponseReader } from './response-reader.ts'

/** A connection that sends requests. The callback `onAnswer` receives each response together with the timestamp of its request. */
export interface LoadConnection {
  send(request: MadeRequest, since: number): void
  countBytesRead(): number
  close(): void
}

export interface ConnectionOptions {
  readonly url: string
  readonly token: string
  readonly onAnswer: (status: number, since: number) => void
  /** Callback that receives the chunks of response bodies. */
  readonly onBody?: (piece: Buffer) => void
  readonly onEnd: (reason: Error) => void
}

/**
 * Opens an HTTP/1.1 connection for load. Uses a TLS socket without an HTTP library, because the client must use much less processor time
 * than the server.
 */
export function openHttp1({ url, token, onAnswer, onBody, onEnd }: ConnectionOptions): Promise<LoadConnection> {
  const { hostname, port, host } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent: number[] = []
    let first = 0
    let lastEncoded: { readonly request: MadeRequest; readonly bytes: Buffer } | undefined
    const reader = new ResponseReader((status) => onAnswer(status, sent[first++]!), onBody)
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () => {
      socket.setNoDelay(true)
      resolve({
        send(request, since) {
          sent.push(since)
          if (lastEncoded?.request !== request) lastEncoded = { request, bytes: encodeRequest(request, host, token) }
          socket.write(lastEncoded.bytes)
        },
        countBytesRead: () => socket.bytesRead,
        close: () => void socket.destroy(),
      })
    })
    socket.on('data', (data: Buffer) => {
      // Collects all requests that one received chunk triggers into one write.
      socket.cork()
      reader.push(data)
      socket.uncork()
    })
    socket.on('error', (error) => {
      reject(error)
      onEnd(error)
    })
    socket.on('close', () => onEnd(new Error('the server closed the connection')))
  })
}

function encodeRequest(
  { method, path, accept = 'application/json', acceptEncoding, contentType, body }: MadeRequest,
  host: string,
  token: string,
): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, `host: ${host}`, `authorization: Bearer ${token}`, `accept: ${accept}`]
  if (acceptEncoding !== undefined) head.push(`accept-encoding: ${acceptEncoding}`)
  if (body !== undefined) head.push(`content-type: ${contentType}`, `content-length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`)
}
