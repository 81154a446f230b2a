import { isIP } from 'node:net'

/** The destination of a connection: a host name or IP address, and a port. */
export interface Destination {
  readonly host: string
  readonly port: number
}

/**
 * Kinds of failures of an outbound request.
 *
 * - `canceled`: the caller's signal was aborted.
 * - `timeout`: the request exceeded its timeout.
 * - `resolve`: the service has no address.
 * - `dial`: the TCP connection could not be opened.
 * - `tls`: the TLS handshake failed.
 * - `reset`, `closed`: the connection ended before the response was complete.
 * - `refused`: the server promised that it did not process the request.
 * - `tooLarge`: the response exceeds its maximum size.
 * - `protocol`: the response is not HTTP.
 */
export type FailureKind = 'canceled' | 'timeout' | 'resolve' | 'dial' | 'tls' | 'reset' | 'closed' | 'refused' | 'tooLarge' | 'protocol'

/** A failed outbound request. The message is that of Go's HTTP client, because clients and logs show it. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** Formats a destination: "10.0.0.1:443" or "[fd00::1]:443". */
export function joinHostAndPort({ host, port }: Destination): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** A Unix socket. */
export interface UnixSocket {
  readonly path: string
}

const dialProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'connect: connection reset by peer',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ENOENT: 'connect: no such file or directory',
  EACCES: 'connect: permission denied',
  ETIMEDOUT: 'i/o timeout',
}

/** Converts an error of opening a TCP connection or a connection to a Unix socket. */
export function toDialError(error: unknown, destination: Destination | UnixSocket): OutboundError {
  if (error instanceof OutboundError) return error
  const { code = '', message } = pickFirst(error)
  const options = { cause: error }
  if ('host' in destination && (code === 'ENOTFOUND' || code === 'EAI_AGAIN'))
    return new OutboundError('dial', `dial tcp: lookup ${destination.host}: no such host`, options)
  const address = 'path' in destination ? `unix ${destination.path}` : `tcp ${joinHostAndPort(destination)}`
  return new OutboundError('dial', `dial ${address}: ${dialProblems[code] ?? message}`, options)
}

/** Returns the first error if Node joined the errors of several addresses (Happy Eyeballs). */
function pickFirst(error: unknown): { readonly code?: string; readonly message: string } {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error]
  return first instanceof Error ? first : { message: String(first) }
}

const unknownAuthority: ReadonlySet<string> = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
  'CERT_SIGNATURE_FAILURE',
])

/** Converts an error of a TLS handshake. */
export function toTlsError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  const { code = '', message } = pickFirst(error)
  const options = { cause: error }
  if (code === 'ECONNRESET')
    return new OutboundError('tls', message.includes('before secure') ? 'EOF' : 'read: connection reset by peer', options)
  if (unknownAuthority.has(code)) return createX509Error('certificate signed by unknown authority', options)
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return createX509Error('certificate has expired or is not yet valid', options)
  if (code === 'INVALID_PURPOSE') return createX509Error('certificate specifies an incompatible key usage', options)
  if (message === 'CA signature digest algorithm too weak') return createX509Error(weakSignature, options)
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return new OutboundError('tls', 'http: server gave HTTP response to HTTPS client', options)
  }
  const alert = /alert (certificate required|bad certificate|handshake failure|unknown ca|internal error|unrecognized name)/i.exec(message)
  if (alert !== null)
    return new OutboundError('tls', `remote error: tls: ${alertTexts[alert[1]!.toLowerCase()] ?? alert[1]!.toLowerCase()}`, options)
  return /CERT|SIGNATURE|ISSUER/.test(code) ? createX509Error(message, options) : new OutboundError('tls', `tls: ${message}`, options)
}

/** The error for a SHA-1 signature. OpenSSL also reports it for MD5, which no certificate authority uses any longer. */
const weakSignature =
  'certificate signed by unknown authority (possibly because of "x509: cannot verify signature: insecure algorithm SHA1-RSA")'

const alertTexts: Readonly<Record<string, string>> = { 'unknown ca': 'unknown certificate authority' }

export function createX509Error(text: string, options?: ErrorOptions): OutboundError {
  return new OutboundError('tls', `tls: failed to verify certificate: x509: ${text}`, options)
}

const unsentCodes: ReadonlySet<string> = new Set([
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_HTTP2_OUT_OF_STREAMS',
  'ERR_HTTP2_STREAM_CANCEL',
])

/** Converts an error of an established connection. */
export function toConnectionError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  const { code = '', message } = pickFirst(error)
  const options = { cause: error }
  if (message.includes('NGHTTP2_REFUSED_STREAM')) return new OutboundError('refused', 'http2: server sent REFUSED_STREAM', options)
  // The session was closed before the stream was opened, so nothing was sent.
  if (unsentCodes.has(code)) return new OutboundError('refused', 'http2: client connection lost', options)
  if (code === 'ECONNRESET' && message === 'socket hang up') return new OutboundError('closed', 'EOF', options)
  if ((code === 'ECONNRESET' && message === 'aborted') || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new OutboundError('closed', 'unexpected EOF', options)
  if (code === 'ECONNRESET') return new OutboundError('reset', 'read: connection reset by peer', options)
  if (code === 'EPIPE') return new OutboundError('reset', 'write: broken pipe', options)
  if (code === 'HPE_HEADER_OVERFLOW')
    return new OutboundError('protocol', 'net/http: server response headers exceeded the limit; aborted', options)
  if (code.startsWith('HPE_'))
    return new OutboundError('protocol', `net/http: HTTP/1.x transport connection broken: malformed HTTP response`, options)
  const stream = /NGHTTP2_([A-Z0-9_]+)/.exec(message)
  if (stream !== null) return new OutboundError('closed', `stream error: ${stream[1]!}; received from peer`, options)
  return new OutboundError('closed', code.startsWith('ERR_HTTP2') ? 'http2: client connection lost' : message, options)
}

/** Returns the name for server name indication; "" for an IP address, which has none. */
export function getServerName(host: string): string {
  return isIP(host) === 0 ? host : ''
}
