import { request as requestHttp } from 'node:http'
import type { ClientRequest } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { RequestOptions } from 'node:https'
import { isIP } from 'node:net'
import type { Remote } from '@keelson/registry'

export interface RemoteRequest {
  readonly method: string
  /** Header names and values, alternating. They must include `Host`. */
  readonly headers: readonly string[]
  /** Path of the request, instead of the path of the remote. */
  readonly path?: string
  readonly query?: string
  /** Signal that aborts the request. It has no effect after an upgrade. */
  readonly signal?: AbortSignal
}

const defaultConnectTimeoutMs = 30_000

/**
 * Sends the head of a request on a new connection. The caller sends the body. If the port is invalid, the request fails and no connection
 * is opened.
 */
export function requestRemote(
  remote: Remote,
  { method, headers, path = remote.path, query = remote.query, signal }: RemoteRequest,
): ClientRequest {
  const { scheme, host, port, tls, address = host, connectTimeoutMs = defaultConnectTimeoutMs } = remote
  const options: RequestOptions = {
    host: address,
    ...connectTo(port === '' ? (scheme === 'https' ? '443' : '80') : port, remote.host),
    method,
    path: `${escapePath(path)}${query === '' ? '' : `?${query}`}`,
    headers,
    // The certificate must be valid for the host of the remote, whatever address and Host header are used.
    servername: isIP(host) === 0 ? host : '',
    rejectUnauthorized: tls?.verify ?? true,
    ...(tls?.authority === undefined ? {} : { ca: tls.authority }),
    ...(tls?.certificate === undefined ? {} : { cert: tls.certificate }),
    ...(tls?.key === undefined ? {} : { key: tls.key }),
    ...(signal === undefined ? {} : { signal }),
  }
  const request = scheme === 'https' ? requestHttps(options) : requestHttp(options)
  const timer = setTimeout(() => request.destroy(new DialTimeoutError()), connectTimeoutMs)
  request.once('socket', (socket) => socket.once(scheme === 'https' ? 'secureConnect' : 'connect', () => clearTimeout(timer)))
  request.once('close', () => clearTimeout(timer))
  // Destroys a request that has no socket, because it would not close by itself.
  request.once('error', () => request.destroy())
  return request
}

/**
 * Returns the connection options. `port` is the text that the client sent after the name. For an invalid port, the connection fails with
 * the error of Go's dialer.
 */
function connectTo(port: string, host: string): RequestOptions {
  const error = findPortError(port, host)
  if (error === undefined) return { agent: false, port: Number(port) }
  return {
    createConnection: () => {
      throw error
    },
  }
}

function findPortError(port: string, host: string): DialError | undefined {
  if (!/^\d+$/.test(port)) return new DialError(`dial tcp: lookup ${host}:${port}: no such host`)
  if (Number(port) > 65_535) return new DialError(`dial tcp: address ${port}: invalid port`)
  // Reports the error of port 0 here, because Node would use the default port instead.
  return Number(port) === 0 ? new DialError(`dial tcp ${hostAndPort({ host, port })}: connect: connection refused`) : undefined
}

class DialError extends Error {
  override readonly name = 'DialError'
}

class DialTimeoutError extends Error {
  override readonly name = 'DialTimeoutError'
}

/** Returns the reason why a request to another server failed, in the words of kube-apiserver. */
export function remoteErrorText(remote: Remote, error: unknown): string {
  const { code, message, name } = error as NodeJS.ErrnoException
  const hostPort = hostAndPort(remote)
  if (name === 'DialTimeoutError') return `dial tcp ${hostPort}: i/o timeout`
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${hostPort}: connect: connection refused`
    case 'EHOSTUNREACH':
      return `dial tcp ${hostPort}: connect: no route to host`
    case 'ENETUNREACH':
      return `dial tcp ${hostPort}: connect: network is unreachable`
    case 'ETIMEDOUT':
      return `dial tcp ${hostPort}: connect: connection timed out`
    case 'ENOTFOUND':
      return `dial tcp: lookup ${remote.host}: no such host`
    case 'ECONNRESET':
      return 'EOF'
  }
  if (isCertificateError(code)) return `tls: failed to verify certificate: x509: ${message}`
  return message
}

function isCertificateError(code: string | undefined): boolean {
  return code !== undefined && (/CERT|SIGNATURE|ISSUER/.test(code) || code === 'ERR_TLS_CERT_ALTNAME_INVALID')
}

/** Joins host and port, as in "10.0.0.1:443" or "[fd00::1]:80". An absent port is omitted. */
export function hostAndPort({ host, port }: Pick<Remote, 'host' | 'port'>): string {
  const name = host.includes(':') ? `[${host}]` : host
  return port === '' ? name : `${name}:${port}`
}

/** A path that `escapePath` would not change. */
const plainPath = /^\/[\w\-.~$&+,/:;=@]*$/

/** Percent-encodes all characters that a URL path may not contain. */
export function escapePath(path: string): string {
  if (plainPath.test(path)) return path
  return path === '' ? '/' : path.split('/').map(escapeSegment).join('/')
}

function escapeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed())
    .replace(/%(24|26|2B|2C|3A|3B|3D|40)/g, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
