import type { ServerResponse } from 'node:http'
import type { Exchange } from './exchange.ts'

export type ResponseHeaders = Record<string, string>

/**
 * Sends a whole response. It goes to the socket directly: no `Response`, no stream, and the length is known. The body belongs to the response until
 * `written` is called, which never happens if the client has left.
 */
export function sendBytes(
  exchange: Exchange,
  status: number,
  headers: ResponseHeaders,
  body: Uint8Array | string,
  written?: () => void,
): void {
  const outgoing = exchange.outgoing as ServerResponse
  if (outgoing.headersSent) {
    // Another response has begun. It is broken off, unless it is whole (the server's 504 for a handler that is late).
    if (!outgoing.writableEnded) outgoing.destroy()
    return
  }
  const list = headerList(exchange, headers)
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  exchange.sentBytes = length
  if (status !== 304 && status !== 204 && headers['content-length'] === undefined) list.push('content-length', String(length))
  outgoing.writeHead(status, list)
  if (exchange.method === 'HEAD') outgoing.end(written)
  else {
    outgoing.end(body, written)
    if (length >= countedLength) countUnread(exchange, outgoing, length)
  }
}

/** Shorter responses are too many, and are read too soon, to count each. */
export const countedLength: number = 16 * 1024

/** Counts what of a response waits for its client, until the connection closes. */
export function countUnread(exchange: Exchange, outgoing: ServerResponse, length: number): void {
  const { unreadAnswers } = exchange.services
  if (unreadAnswers === undefined || outgoing.destroyed) return
  outgoing.once('close', unreadAnswers.add(exchange.user.name, outgoing, length))
}

/** The common headers and the response's own, names and values in turns. */
export function headerList(exchange: Exchange, headers: ResponseHeaders): string[] {
  const list = [...exchange.commonHeaders]
  for (const name in headers) list.push(name, headers[name]!)
  return list
}
