import { constants } from 'node:crypto'
import { createServer as createHttp2Server } from 'node:http2'
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createContextSelector } from './certificates/serving-names.ts'
import type { ServingCertificates } from './certificates/serving-names.ts'
import type { TrustedAuthorities } from './client-authorities.ts'
import { ConnectionLimit, UnauthenticatedTrafficLimit } from './connection-limit.ts'
import { Http2Incoming, Http2Outgoing } from './http2-exchange.ts'
import { Connection, rememberConnection } from './peer.ts'
import type { PeerRules } from './peer.ts'
import { StreamStalls } from './stream-stalls.ts'
import type { TlsSettings } from './tls-settings.ts'
import { LinkedList } from '@keelson/apimachinery'

interface TlsListenerOptions {
  readonly serving: ServingCertificates
  /** CAs of client certificates. If all lists are empty, the server never requests client certificates, even if CAs are added later. */
  readonly authorities: TrustedAuthorities
  readonly settings: TlsSettings
  readonly http2: boolean
  /** Maximum number of concurrent requests on one HTTP/2 connection. */
  readonly maxStreams: number
  /** Maximum number of open connections; see `ConnectionLimit`. */
  readonly maxConnections: number
  /** Time in milliseconds after which a client that does not read pending data is disconnected. */
  readonly stallMs: number
  /** If true, the port and its connections do not keep the process alive. */
  readonly unref: boolean
  /** Clock for the validity of client certificates. */
  readonly now: () => number
  /** Called when a TLS handshake fails. */
  readonly onHandshakeError: () => void
  readonly requestListener: (incoming: IncomingMessage | Http2ServerRequest, outgoing: ServerResponse | Http2ServerResponse) => void
  /**
   * Called for CONNECT requests, and for requests without a body that ask to change the protocol. `head` has the bytes after the headers.
   * Node no longer handles the connection.
   */
  readonly upgradeListener: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void
}

export interface TlsListener {
  listen(port: number, host: string): Promise<AddressInfo>
  /**
   * Replaces the certificates of new connections. The CAs also apply to open connections. If they are unusable, throws and changes nothing.
   */
  serve(certificates: ServingCertificates, authorities: TrustedAuthorities): void
  /** Refuses new connections. Closes idle connections now, and busy ones after their current requests. */
  stopAccepting(): void
  /** Resolves when all connections are closed. Destroys the remaining connections after `milliseconds`. */
  close(milliseconds: number): Promise<void>
}

const idleMs = 90_000
const headersMs = 32_000
const handshakeMs = 10_000
/** Timeout for the first frame of an HTTP/2 connection, as in Go. */
const prefaceMs = 10_000
/**
 * Interval in milliseconds at which Node checks for HTTP/1.1 clients that send headers too slowly. With Node's default, such connections
 * would stay open for another 30 s.
 */
const headersCheckMs = 1000
const noRequestGraceMs = 1000
const maxHeaderBytes = 1 << 20
const streamWindow = 256 * 1024

/**
 * Listens on one port for HTTP/1.1 and HTTP/2. A `node:https` server terminates TLS, so that HTTP/1.1 has no overhead. It passes
 * connections that negotiated `h2` by ALPN to an HTTP/2 server, which does not listen itself.
 */
export function createTlsListener(options: TlsListenerOptions): TlsListener {
  let { authorities } = options
  const asksForCertificate = !authorities.clients.empty || !authorities.frontProxies.empty
  const peerRules: PeerRules | undefined = asksForCertificate ? { getAuthorities: () => authorities, now: options.now } : undefined
  const limit = new ConnectionLimit(options.maxConnections)
  const trafficLimit = new UnauthenticatedTrafficLimit()
  const { certificate, key, named } = options.serving
  // All TLS contexts are created here with the option `ca`, because a context without it trusts the default CAs of Node.js.
  const createSettings = ({ clients, frontProxies }: TrustedAuthorities) => ({
    minVersion: 'TLSv1.2' as const,
    ...options.settings,
    ca: [...clients.pem, ...frontProxies.pem],
    // Disables session tickets: a resumed session has the result of an earlier verification, but no chain to verify again. Go's clients do
    // not resume sessions. Disables renegotiation, because a client could waste the server's time with it. Go does not support it either.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  })
  let byName = createContextSelector(named ?? [], createSettings(authorities))
  const http1Connections = new Http1Connections()
  const https: HttpsServer = createHttpsServer(
    {
      cert: certificate,
      key,
      // Returns undefined if no name matches. The server then sends its default certificate.
      SNICallback: (name, answer: (error: Error | null, context?: SecureContext) => void) => answer(null, byName(name)),
      ALPNProtocols: options.http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
      ...createSettings(authorities),
      // Completes the handshake even if the client certificate is invalid, because the request may have a valid token. The authenticator
      // decides.
      ...(asksForCertificate ? { requestCert: true, rejectUnauthorized: false } : {}),
      handshakeTimeout: handshakeMs,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersMs,
      connectionsCheckingInterval: headersCheckMs,
      keepAliveTimeout: idleMs,
      noDelay: true,
      // A request with a body is served without an upgrade, as HTTP allows.
      shouldUpgradeCallback: (incoming) => !hasBody(incoming),
    },
    serveOneAtATime((incoming, outgoing) => {
      http1Connections.addResponse(incoming.socket, outgoing as ServerResponse)
      options.requestListener(incoming, outgoing)
    }),
  )
  // Overrides Node's method, because Node also calls it when the server closes.
  https.closeIdleConnections = () => http1Connections.end()
  const releaseConnection = (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    http1Connections.remove(incoming.socket)
    options.upgradeListener(incoming, socket, head)
  }
  https.on('upgrade', releaseConnection)
  // Node releases the connection of a CONNECT request, but kube-apiserver serves it like other requests. Its target, such as
  // "example.com:80", is a host without a path, so the request gets a path that does not exist.
  https.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (incoming.url?.startsWith('/') === false) incoming.url = '//'
    releaseConnection(incoming, socket, head)
  })
  https.timeout = options.stallMs

  const sessions = new Set<ServerHttp2Session>()
  const http2: Http2Server | undefined = options.http2 ? createHttp2Half(options, sessions) : undefined
  const http1 = https.listeners('secureConnection') as ((socket: TLSSocket) => void)[]
  https.removeAllListeners('secureConnection')
  https.on('secureConnection', (socket: TLSSocket) => {
    let watched: (() => void) | undefined
    const connection = new Connection(socket, peerRules, () => {
      limit.identified(socket)
      watched?.()
    })
    if (socket.alpnProtocol === 'h2' && http2 !== undefined) {
      watched = trafficLimit.add(socket)
      const onSession = (session: ServerHttp2Session): void => {
        rememberConnection(session, connection)
        // The handshake was completed after `stopAccepting`, which has closed the other sessions.
        if (closed !== undefined) session.close()
      }
      // Node emits 'session' synchronously during 'connection', so the listener receives the session of this socket.
      http2.once('session', onSession)
      http2.emit('connection', socket)
      http2.off('session', onSession)
    } else {
      rememberConnection(socket, connection)
      http1Connections.add(socket)
      for (const listener of http1) listener.call(https, socket)
    }
  })
  // A failed handshake is only counted.
  https.on('tlsClientError', (_error, socket) => {
    options.onHandshakeError()
    socket.destroy()
  })

  https.on('connection', (socket: Socket) => limit.add(socket))
  if (options.unref) {
    https.unref()
    https.on('connection', (socket: Socket) => socket.unref())
    https.on('secureConnection', (socket: TLSSocket) => socket.unref())
  }

  let closed: Promise<void> | undefined
  const stopAccepting = (): void => {
    if (closed === undefined) closed = new Promise((resolve) => (https.listening ? https.close(() => resolve()) : resolve()))
    else http1Connections.end()
    for (const session of sessions) session.close()
  }
  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        https.once('error', reject)
        https.listen(port, host, () => {
          https.off('error', reject)
          resolve(https.address() as AddressInfo)
        })
      }),
    serve: (certificates, trusted) => {
      const settings = createSettings(trusted)
      const newContextOf = createContextSelector(certificates.named ?? [], settings)
      https.setSecureContext({ ...settings, cert: certificates.certificate, key: certificates.key })
      byName = newContextOf
      authorities = trusted
    },
    stopAccepting,
    close: async (milliseconds) => {
      stopAccepting()
      const startTime = performance.now()
      const destroyAll = (): void => {
        for (const session of sessions) session.destroy()
        for (const socket of limit.open) socket.destroy()
      }
      const check = (): void => {
        const waited = performance.now() - startTime
        // Connections without a request get less time than unread responses.
        if (waited >= milliseconds || (waited >= noRequestGraceMs && !http1Connections.busy && sessions.size === 0)) destroyAll()
      }
      check()
      const timer = setInterval(check, 20)
      await closed
      clearInterval(timer)
    },
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Returns a listener that serves pipelined requests one at a time: each waits until the response to the previous one is written. Otherwise
 * a client that never reads could fill the memory with responses.
 */
function serveOneAtATime(serve: TlsListenerOptions['requestListener']): TlsListenerOptions['requestListener'] {
  return (incoming, outgoing) => {
    // Node pauses a connection if it parses a request while a response is unread.
    if (incoming.socket.isPaused()) readThroughStream(incoming.socket)
    // Before Node 26, Node still assigns a closed connection to waiting requests.
    if (outgoing.socket === null) outgoing.once('socket', (socket: Socket) => void (socket.destroyed || serve(incoming, outgoing)))
    else serve(incoming, outgoing)
  }
}

/**
 * Routes the remaining data of a paused connection through its stream, which buffers the data until the connection resumes. By default, the
 * TLS layer passes all decrypted records to Node's parser, even if the parser is paused. The parser then fails with HPE_PAUSED, and Node
 * closes the connection. This happens to ordinary clients that read the end of a large response and immediately send a large request. A
 * data listener makes Node use the stream again.
 */
function readThroughStream(socket: Socket): void {
  const ignoreRequest = (): void => {}
  socket.on('data', ignoreRequest)
  socket.off('data', ignoreRequest)
  // Resets the stream's state, which still assumes a pending read from before the parser took over. Without this push, the stream would not
  // read after it is resumed.
  socket.push(Buffer.alloc(0))
}

/**
 * Raised limits of Node's HTTP/2 server. Node counts a cancelled stream until the next turn of the event loop, so the stream that replaces
 * it may exceed the limit of concurrent streams and be refused. With Node's defaults, a hundred refused or a thousand cancelled streams
 * close the connection and every watch on it.
 */
const raisedLimits = { maxSessionRejectedStreams: 10_000, streamResetBurst: 10_000, streamResetRate: 1_000 } as const

function createHttp2Half(options: TlsListenerOptions, sessions: Set<ServerHttp2Session>): Http2Server {
  const http2 = createHttp2Server({
    // Memory limit of a session in MB, higher than the default of 10 MB, because large lists on several streams count against it.
    maxSessionMemory: 64,
    ...raisedLimits,
    settings: { maxConcurrentStreams: options.maxStreams, initialWindowSize: streamWindow, maxHeaderListSize: maxHeaderBytes },
  })
  // Creates Node's requests and responses from HTTP/2 streams. This server does not listen.
  const requestFactory = createHttp2Server(options.requestListener)
  http2.on('stream', (stream: ServerHttp2Stream, headers, flags, rawHeaders) => {
    if (!Http2Incoming.suffices(stream, headers)) return void requestFactory.emit('stream', stream, headers, flags, rawHeaders)
    const incoming = new Http2Incoming(stream, headers, rawHeaders)
    const outgoing = new Http2Outgoing(incoming)
    options.requestListener(incoming as unknown as Http2ServerRequest, outgoing as unknown as Http2ServerResponse)
  })
  http2.on('session', (session) => {
    sessions.add(session)
    const stalls = new StreamStalls(options.stallMs)
    session.on('stream', (stream) => stalls.add(stream))
    // Each frame resets the timer. An idle connection with an open watch stays open.
    session.on('timeout', () => {
      if (stalls.empty) session.close()
    })
    session.setTimeout(prefaceMs)
    session.once('remoteSettings', () => session.setTimeout(idleMs))
    session.once('close', () => {
      stalls.stop()
      sessions.delete(session)
    })
    session.on('error', () => session.destroy())
  })
  http2.on('sessionError', () => {})
  return http2
}

/**
 * Tracks HTTP/1.1 connections and their open responses. Node considers a connection idle once its response is complete in memory, even if
 * part of it is not written yet. Closing the connection at that time would truncate the response for a slow reader.
 */
class Http1Connections {
  readonly #responses = new Map<Socket, LinkedList<ServerResponse>>()
  /** Connections that have not sent a request yet. */
  readonly #fresh = new Set<Socket>()
  #ending = false

  add(socket: Socket): void {
    this.#responses.set(socket, new LinkedList())
    this.#fresh.add(socket)
    socket.once('close', () => this.remove(socket))
  }

  /** Stops tracking a connection that changes the protocol. */
  remove(socket: Socket): void {
    this.#responses.delete(socket)
    this.#fresh.delete(socket)
  }

  addResponse(socket: Socket, outgoing: ServerResponse): void {
    const responses = this.#responses.get(socket)
    if (responses === undefined) return
    this.#fresh.delete(socket)
    const node = responses.add(outgoing)
    if (this.#ending) outgoing.shouldKeepAlive = false
    outgoing.on('close', () => {
      responses.remove(node)
      if (this.#ending && responses.first === undefined) socket.destroySoon()
    })
  }

  /** True if a response is not fully written. */
  get busy(): boolean {
    for (const responses of this.#responses.values()) if (responses.first !== undefined) return true
    return false
  }

  /**
   * Closes idle connections now, and busy ones after their current response. That response gets the header `Connection: close` if its
   * headers are not sent yet. Connections that have not sent a request stay open for one request.
   */
  end(): void {
    this.#ending = true
    for (const [socket, responses] of this.#responses) {
      if (responses.first === undefined && !this.#fresh.has(socket)) socket.destroySoon()
      for (const outgoing of responses) if (!outgoing.headersSent) outgoing.shouldKeepAlive = false
    }
  }
}
