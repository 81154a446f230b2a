import { connect as connectTcp, isIP } from 'node:net'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls, createSecureContext } from 'node:tls'
import type { PeerCertificate, SecureContext, TLSSocket } from 'node:tls'
import { OutboundError, toDialError, getServerName, toTlsError, createX509Error } from './failure.ts'
import type { Destination } from './failure.ts'
import { createSocketLookup } from './host-lookup.ts'

/** The network of an outbound request. An egress selector can configure a proxy for each network except `direct`. */
export type EgressNetwork = 'controlplane' | 'cluster' | 'etcd' | 'direct'

/** Opens a connection to a destination. Rejects if that fails or `signal` is aborted. */
export type Dial = (destination: Destination, options: { readonly network: EgressNetwork; readonly signal: AbortSignal }) => Promise<Duplex>

/** TLS settings of a client. Certificates and keys are in PEM. */
export interface TlsSettings {
  /** Trusted CA certificates. Default: the root certificates of the JavaScript runtime. */
  readonly authorities?: string
  readonly certificate?: string
  readonly key?: string
  /** Expected name in the server's certificate. Default: the host of the URL. */
  readonly serverName?: string
  /** Whether to accept any server certificate without verification. */
  readonly insecureSkipVerify?: boolean
}

/** Timeout of opening a TCP connection, in milliseconds. The value is that of Go's default dialer. */
const dialTimeoutMs = 30_000
/** Timeout of a TLS handshake, in milliseconds. The value is the default of client-go. */
const handshakeTimeoutMs = 10_000

/** Opens a TCP connection without a proxy. */
export const dialDirectly: Dial = (destination, { signal }) =>
  waitForConnect(
    connectTcp({ ...destination, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000, lookup: createSocketLookup(signal) }),
    signal,
  )

/** Waits until a socket is connected. Rejects with its error, or with the reason of `signal`, which has no effect afterwards. */
export function waitForConnect(socket: Socket, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      socket.destroy()
      reject(signal.reason as Error)
    }
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', abort)
      reject(error)
    }
    signal.addEventListener('abort', abort, { once: true })
    socket.once('error', fail)
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort)
      socket.removeListener('error', fail)
      resolve(socket)
    })
    if (signal.aborted) abort()
  })
}

export interface ConnectOptions {
  readonly dial: Dial
  readonly network: EgressNetwork
  /** Host of the URL. It is the expected name in the certificate unless `tls` has another one. */
  readonly host: string
  /** TLS settings; undefined for plain HTTP. */
  readonly tls: TlsSettings | undefined
  readonly protocols: readonly string[]
  /** Aborts the connection until it is open. */
  readonly signal?: AbortSignal | undefined
}

/** Opens a connection and completes the TLS handshake. Rejects with an `OutboundError`, or with the reason of `signal`. */
export async function connect(destination: Destination, { dial, network, host, tls, protocols, signal }: ConnectOptions): Promise<Duplex> {
  const socket = await dialInTime(destination, { dial, network, signal })
  if (tls === undefined) return socket
  return new Promise((resolve, reject) => {
    const serverName = tls.serverName ?? host
    const secure: TLSSocket = connectTls({
      socket,
      servername: getServerName(serverName),
      ALPNProtocols: [...protocols],
      rejectUnauthorized: tls.insecureSkipVerify !== true,
      // The certificate must be valid for the expected name, regardless of the dialed address.
      checkServerIdentity: (_name, certificate) => findIdentityError(serverName, certificate),
      secureContext: findSecureContext(tls),
    })
    const fail = (error: unknown): void => {
      stopWaiting()
      secure.destroy()
      socket.destroy()
      reject(signal?.aborted === true ? (signal.reason as Error) : toTlsError(error))
    }
    const abort = (): void => fail(signal?.reason)
    const stopWaiting = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    const timer = setTimeout(() => fail(new OutboundError('tls', 'net/http: TLS handshake timeout')), handshakeTimeoutMs)
    secure.once('error', fail)
    signal?.addEventListener('abort', abort, { once: true })
    secure.once('secureConnect', () => {
      stopWaiting()
      secure.removeListener('error', fail)
      resolve(secure)
    })
  })
}

/** Parsed certificates and keys. A client has the same settings for all its connections. */
const secureContexts = new WeakMap<TlsSettings, SecureContext>()

function findSecureContext(tls: TlsSettings): SecureContext {
  const existing = secureContexts.get(tls)
  if (existing !== undefined) return existing
  const created = createSecureContext({
    // Go trusts each certificate of a bundle, also one that signs no others.
    allowPartialTrustChain: true,
    ...(tls.authorities !== undefined && { ca: tls.authorities }),
    ...(tls.certificate !== undefined && { cert: tls.certificate }),
    ...(tls.key !== undefined && { key: tls.key }),
  })
  secureContexts.set(tls, created)
  return created
}

async function dialInTime(
  destination: Destination,
  { dial, network, signal }: Pick<ConnectOptions, 'dial' | 'network' | 'signal'>,
): Promise<Duplex> {
  const controller = new AbortController()
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    controller.abort()
  }, dialTimeoutMs)
  const abort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted === true) abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await dial(destination, { network, signal: controller.signal })
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    throw toDialError(timedOut ? Object.assign(new Error('i/o timeout'), { code: 'ETIMEDOUT' }) : error, destination)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/**
 * Returns the error of a certificate that is not valid for the name; undefined if it is valid. Only subject alternative names count, as in
 * Go. Node's own check would also accept the common name.
 */
function findIdentityError(name: string, { subjectaltname = '' }: PeerCertificate): Error | undefined {
  const entries = subjectaltname.split(', ')
  const dns = entries.filter((entry) => entry.startsWith('DNS:')).map((entry) => entry.slice(4))
  const addresses = entries.filter((entry) => entry.startsWith('IP Address:')).map((entry) => entry.slice(11))
  if (isIP(name) !== 0) {
    if (addresses.some((address) => isSameAddress(address, name))) return undefined
    if (addresses.length === 0) return createX509Error(`cannot validate certificate for ${name} because it doesn't contain any IP SANs`)
    return createX509Error(`certificate is valid for ${addresses.join(', ')}, not ${name}`)
  }
  if (dns.some((pattern) => matchesName(pattern, name))) return undefined
  if (dns.length === 0 && addresses.length === 0) return createX509Error('certificate relies on legacy Common Name field, use SANs instead')
  if (dns.length === 0) return createX509Error(`certificate is not valid for any names, but wanted to match ${name}`)
  return createX509Error(`certificate is valid for ${dns.join(', ')}, not ${name}`)
}

function isSameAddress(a: string, b: string): boolean {
  return canonicalizeAddress(a) === canonicalizeAddress(b)
}

function canonicalizeAddress(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : address
}

/** Returns whether a name in a certificate matches. A wildcard covers the first label only. */
function matchesName(pattern: string, name: string): boolean {
  const [expected, received] = [pattern.toLowerCase(), name.toLowerCase().replace(/\.$/, '')]
  if (!expected.startsWith('*.')) return expected === received
  const dot = received.indexOf('.')
  return dot > 0 && received.slice(dot) === expected.slice(1)
}
