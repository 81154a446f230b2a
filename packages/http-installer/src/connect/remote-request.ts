import { request as requestHttp } from 'node:http'
import type { ClientRequest } from 'node:http'
import type { Duplex } from 'node:stream'
import { connect, dialDirectly, OutboundError, toConnectionError } from '@keelson/outbound'
import type { TlsSettings } from '@keelson/outbound'
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
  const connecting = new AbortController()
  const request = requestHttp({
    // The key of Node's connection pool, which is not used.
    host: 'localhost',
    method,
    path: `${escapePath(path)}${query === '' ? '' : `?${query}`}`,
    headers,
    ...(signal === undefined ? {} : { signal }),
    createConnection: (_options, done) => {
      openConnection(remote, connecting.signal).then(
        (socket) => done(null, socket),
        (error: unknown) => done(error as Error, undefined as unknown as Duplex),
      )
      return undefined
    },
  })
  const timer = setTimeout(
    () => connecting.abort(new OutboundError('timeout', `dial tcp ${joinHostAndPort(remote)}: i/o timeout`)),
    remote.connectTimeoutMs ?? defaultConnectTimeoutMs,
  )
  request.once('socket', () => clearTimeout(timer))
  request.once('close', () => {
    clearTimeout(timer)
    connecting.abort()
  })
  // Destroys a request that has no socket, because it would not close by itself.
  request.once('error', () => request.destroy())
  return request
}

async function openConnection({ scheme, host, port, tls, address = host, dial }: Remote, signal: AbortSignal): Promise<Duplex> {
  const dialedPort = parsePort(port === '' ? (scheme === 'https' ? '443' : '80') : port, host)
  return connect(
    { host: address, port: dialedPort },
    {
      dial: dial === undefined ? dialDirectly : (destination, options) => dial(destination, options.signal),
      network: 'cluster',
      // The certificate must be valid for the host of the remote, whatever address and Host header are used.
      host,
      tls: scheme === 'https' ? toTlsSettings(tls) : undefined,
      protocols: ['http/1.1'],
      signal,
    },
  )
}

function toTlsSettings({ verify = true, authority, certificate, key }: Partial<NonNullable<Remote['tls']>> = {}): TlsSettings {
  return {
    insecureSkipVerify: !verify,
    ...(authority !== undefined && { authorities: authority }),
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
  }
}

/** Returns the port as a number. `port` is the text that the client sent after the name. Throws the error of Go's dialer if it is invalid. */
function parsePort(port: string, host: string): number {
  if (!/^\d+$/.test(port)) throw new OutboundError('dial', `dial tcp: lookup ${host}:${port}: no such host`)
  if (Number(port) > 65_535) throw new OutboundError('dial', `dial tcp: address ${port}: invalid port`)
  return Number(port)
}

/** Returns the reason why a request to another server failed, in the words of kube-apiserver. */
export function formatRemoteError(error: unknown): string {
  return toConnectionError(error).message
}

/** Joins host and port, as in "10.0.0.1:443" or "[fd00::1]:80". An absent port is omitted. */
export function joinHostAndPort({ host, port }: Pick<Remote, 'host' | 'port'>): string {
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
