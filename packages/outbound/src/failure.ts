import { isIP } from 'node:net'

/** Where a connection goes: a host name or an IP address, and a port. */
export interface Destination {
  readonly host: string
  readonly port: number
}

/**
 * - `canceled`: the caller's signal was aborted.
 * - `timeout`: the time for the whole request is over.
 * - `resolve`: the service has no address.
 * - `dial`, `tls`: no connection, no handshake.
 * - `reset`, `closed`: the connection broke before the answer was complete.
 * - `refused`: the server promised that it did not process the request.
 * - `tooLarge`: the answer exceeds its bound.
 * - `protocol`: the answer is not HTTP.
 */
export type FailureKind = 'canceled' | 'timeout' | 'resolve' | 'dial' | 'tls' | 'reset' | 'closed' | 'refused' | 'tooLarge' | 'protocol'

/** An error instead of a response. The message has the words of Go's HTTP client, because clients and logs show it. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** "10.0.0.1:443", "[fd00::1]:443". */
export function hostAndPort({ host, port }: Destination): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Translates an error of a TCP connection that was never established. */
export function dialError(error: unknown, destination: Destination): OutboundError {
  if (error instanceof OutboundError) return error
  const at = hostAndPort(destination)
  const { code, message } = firstOf(error)
  const text = ((): string => {
    switch (code) {
      case 'ECONNREFUSED':
        return `dial tcp ${at}: connect: connection refused`
      case 'ECONNRESET':
        return `dial tcp ${at}: connect: connection reset by peer`
      case 'EHOSTUNREACH':
        return `dial tcp ${at}: connect: no route to host`
      case 'ENETUNREACH':
        return `dial tcp ${at}: connect: network is unreachable`
      case 'ETIMEDOUT':
        return `dial tcp ${at}: i/o timeout`
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return `dial tcp: lookup ${destination.host}: no such host`
      default:
        return `dial tcp ${at}: ${message}`
    }
  })()
  return new OutboundError('dial', text, { cause: error })
}

/** Happy eyeballs joins the errors of all addresses. */
function firstOf(error: unknown): { readonly code?: string; readonly message: string } {
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

/** Translates an error of a TLS handshake. */
export function tlsError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  const { code = '', message } = firstOf(error)
  const options = { cause: error }
  if (code === 'ECONNRESET')
    return new OutboundError('tls', message.includes('before secure') ? 'EOF' : 'read: connection reset by peer', options)
  if (unknownAuthority.has(code)) return x509Error('certificate signed by unknown authority', options)
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return x509Error('certificate has expired or is not yet valid', options)
  if (code === 'INVALID_PURPOSE') return x509Error('certificate specifies an incompatible key usage', options)
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return new OutboundError('tls', 'http: server gave HTTP response to HTTPS client', options)
  }
  const alert = /alert (certificate required|bad certificate|handshake failure|unknown ca|internal error|unrecognized name)/i.exec(message)
  if (alert !== null)
    return new OutboundError('tls', `remote error: tls: ${alertTexts[alert[1]!.toLowerCase()] ?? alert[1]!.toLowerCase()}`, options)
  return /CERT|SIGNATURE|ISSUER/.test(code) ? x509Error(message, options) : new OutboundError('tls', `tls: ${message}`, options)
}

const alertTexts: Readonly<Record<string, string>> = { 'unknown ca': 'unknown certificate authority' }

export function x509Error(text: string, options?: ErrorOptions): OutboundError {
  return new OutboundError('tls', `tls: failed to verify certificate: x509: ${text}`, options)
}

/** Translates an error of an established connection. */
export function connectionError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  const { code = '', message } = firstOf(error)
  const options = { cause: error }
  if (message.includes('NGHTTP2_REFUSED_STREAM')) return new OutboundError('refused', 'http2: server sent REFUSED_STREAM', options)
  if (code === 'ECONNRESET' && message === 'socket hang up') return new OutboundError('closed', 'EOF', options)
  if (code === 'ECONNRESET') return new OutboundError('reset', 'read: connection reset by peer', options)
  if (code === 'EPIPE') return new OutboundError('reset', 'write: broken pipe', options)
  if (code.startsWith('HPE_'))
    return new OutboundError('protocol', `net/http: HTTP/1.x transport connection broken: malformed HTTP response`, options)
  const stream = /NGHTTP2_([A-Z0-9_]+)/.exec(message)
  if (stream !== null) return new OutboundError('closed', `stream error: ${stream[1]!}; received from peer`, options)
  return new OutboundError('closed', code.startsWith('ERR_HTTP2') ? 'http2: client connection lost' : message, options)
}

/** The name in the certificate check: an IP address has no server name indication. */
export function serverNameOf(host: string): string {
  return isIP(host) === 0 ? host : ''
}
