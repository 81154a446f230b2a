import type { ServerResponse } from 'node:http'
import type { Exchange } from './exchange.ts'

export type ResponseHeaders = Record<string, string>

/**
 * Sends a complete response directly to the socket, with its length and without a `Response` or stream. The response owns the body until it
 * calls `written`, which never happens if the client has disconnected.
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
    // Another response has started. Aborts it unless it is complete, like the server's 504 after the deadline.
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

/** Shorter responses are too frequent, and read too fast, to count each. */
export const countedLength: number = 16 * 1024

/** Counts the unread bytes of a response until the connection closes. */
export function countUnread(exchange: Exchange, outgoing: ServerResponse, length: number): void {
  const { unreadAnswers } = exchange.services
  if (unreadAnswers === undefined || outgoing.destroyed) return
  outgoing.once('close', unreadAnswers.add(exchange.user.name, outgoing, length))
}

/** Returns the common headers and the response's own: alternating names and values. */
export function headerList(exchange: Exchange, headers: ResponseHeaders): string[] {
  const list = [...exchange.commonHeaders]
  for (const name in headers) list.push(name, headers[name]!)
  return list
}
