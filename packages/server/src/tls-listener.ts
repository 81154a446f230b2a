import { constants } from 'node:crypto'
import { createServer as createHttp2Server } from 'node:http2'
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'
import { contextsByName } from './certificates/serving-names.ts'
import type { ServingCertificates } from './certificates/serving-names.ts'
import type { ClientAuthorities } from './client-authorities.ts'
import { ConnectionLimit } from './connection-limit.ts'
import { Http1Connections } from './http1-connections.ts'
import { Http2Incoming, Http2Outgoing } from './http2-exchange.ts'
import { Connection, rememberConnection } from './peer.ts'
import type { PeerRules } from './peer.ts'
import { StrangerTraffic } from './stranger-traffic.ts'
import { StreamStalls } from './stream-stalls.ts'
import type { TlsSettings } from './tls-settings.ts'

export interface TlsListenerOptions {
  readonly serving: ServingCertificates
  /** None: clients are not asked for a certificate, later neither. */
  readonly clientAuthorities: ClientAuthorities
  readonly settings: TlsSettings
  readonly http2: boolean
  /** At once, on one connection of HTTP/2. */
  readonly maxStreams: number
  /** See `ConnectionLimit`. */
  readonly maxConnections: number
  /** A client that reads nothing for so long while data waits for it counts as gone. */
  readonly stallMs: number
  /** Neither the port nor its connections keep the process alive. */
  readonly unref: boolean
  /** The clock that client certificates are judged by. */
  readonly now: () => number
  /** A client broke off its handshake, or could not agree. */
  readonly onHandshakeError: () => void
  readonly requestListener: (incoming: IncomingMessage | Http2ServerRequest, outgoing: ServerResponse | Http2ServerResponse) => void
  /** A CONNECT, or a request that asks to change the protocol and has no body, with what was read behind its headers. The connection is no longer node's. */
  readonly upgradeListener: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void
}

export interface TlsListener {
  listen(port: number, host: string): Promise<AddressInfo>
  /** For connections from now on; open ones have their clients' certificates judged by the new authorities. Throws when they cannot be used; then all stays as it is. */
  serve(certificates: ServingCertificates, clientAuthorities: ClientAuthorities): void
  /** No new connections; idle ones are closed, busy ones after what they are busy with. */
  stopAccepting(): void
  /** Resolves when every connection is closed; those left after `milliseconds` are cut. */
  close(milliseconds: number): Promise<void>
}

const idleMs = 90_000
const headersMs = 32_000
const handshakeMs = 10_000
/** Go's limit for the first frame of HTTP/2. */
const prefaceMs = 10_000
/** How often node looks for connections of HTTP/1.1 whose headers take too long. Its default would let them stay for 30 s more. */
const checkMs = 1000
const strangersMs = 1000
const maxHeaderBytes = 1 << 20
const streamWindow = 256 * 1024

/**
 * One port for HTTP/1.1 and HTTP/2. TLS belongs to an ordinary `https` server, so HTTP/1.1 runs on exactly the path it would have without
 * HTTP/2; a socket that agreed on `h2` by ALPN is handed to an HTTP/2 server that never listens itself.
 */
export function createTlsListener(options: TlsListenerOptions): TlsListener {
  let authorities = options.clientAuthorities
  const asksForCertificate = !authorities.empty
  const peerRules: PeerRules | undefined = asksForCertificate ? { authorities: () => authorities, now: options.now } : undefined
  const limit = new ConnectionLimit(options.maxConnections)
  const strangerTraffic = new StrangerTraffic()
  const { certificate, key, named } = options.serving
  // One function for all contexts: one without `ca` would believe the authorities that the runtime brings along.
  const settingsWith = ({ pem }: ClientAuthorities) => ({
    minVersion: 'TLSv1.2' as const,
    ...options.settings,
    ca: [...pem],
    // A resumed session brings back the verdict of an earlier handshake, without the chain to judge it again. Go's clients never resume.
    // Renegotiation lets a client make the server work for nothing; Go has none either.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  })
  let byName = contextsByName(named ?? [], settingsWith(authorities))
  const http1Connections = new Http1Connections()
  const https: HttpsServer = createHttpsServer(
    {
      cert: certificate,
      key,
      // Without an answer of its own the server shows its first certificate.
      SNICallback: (name, answer: (error: Error | null, context?: SecureContext) => void) => answer(null, byName(name)),
      ALPNProtocols: options.http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
      ...settingsWith(authorities),
      // A wrong certificate is the authenticator's business: it may come with a right token.
      ...(asksForCertificate ? { requestCert: true, rejectUnauthorized: false } : {}),
      handshakeTimeout: handshakeMs,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: idleMs,
      noDelay: true,
      // With a body it is a request like any other: the protocol may stay as it is.
      shouldUpgradeCallback: (incoming) => !hasBody(incoming),
    },
    oneAtATime((incoming, outgoing) => {
      http1Connections.answering(incoming.socket, outgoing as ServerResponse)
      options.requestListener(incoming, outgoing)
    }),
  )
  // Called by node when the server closes, too.
  https.closeIdleConnections = () => http1Connections.end()
  const letGo = (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    http1Connections.remove(incoming.socket)
    options.upgradeListener(incoming, socket, head)
  }
  https.on('upgrade', letGo)
  // For Node HTTP ends here; for kube-apiserver this is a request like any other. Its target "example.com:80" is a host without a path, so it gets one that nothing has.
  https.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (incoming.url?.startsWith('/') === false) incoming.url = '//'
    letGo(incoming, socket, head)
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
      watched = strangerTraffic.add(socket)
      const onSession = (session: ServerHttp2Session): void => rememberConnection(session, connection)
      // 'session' is emitted within 'connection', so the listener sees this socket's session and no other.
      http2.once('session', onSession)
      http2.emit('connection', socket)
      http2.off('session', onSession)
    } else {
      rememberConnection(socket, connection)
      http1Connections.add(socket)
      for (const listener of http1) listener.call(https, socket)
    }
  })
  // A client that breaks off its handshake is its own affair.
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
  const begin = (): void => {
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
    serve: (certificates, clientAuthorities) => {
      const settings = settingsWith(clientAuthorities)
      const next = contextsByName(certificates.named ?? [], settings)
      https.setSecureContext({ ...settings, cert: certificates.certificate, key: certificates.key })
      byName = next
      authorities = clientAuthorities
    },
    stopAccepting: begin,
    close: async (milliseconds) => {
      begin()
      const began = performance.now()
      const cut = (): void => {
        for (const session of sessions) session.destroy()
        for (const socket of limit.open) socket.destroy()
      }
      const look = (): void => {
        const waited = performance.now() - began
        // Connections without a request get less time than responses that are still being read.
        if (waited >= milliseconds || (waited >= strangersMs && !http1Connections.busy && sessions.size === 0)) cut()
      }
      look()
      const timer = setInterval(look, 20)
      await closed
      clearInterval(timer)
    },
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * A request that was sent before the answer to the one ahead of it was taken has no socket yet, and waits. Otherwise a client that asks and never reads
 * would have as many answers kept for it as requests fit into a packet.
 */
function oneAtATime(serve: TlsListenerOptions['requestListener']): TlsListenerOptions['requestListener'] {
  return (incoming, outgoing) => {
    // Node pauses a connection when it reads a request while an answer still waits to be taken.
    if (incoming.socket.isPaused()) readThroughStream(incoming.socket)
    // Before Node 26 a connection that is ended still goes to the requests that wait for it.
    if (outgoing.socket === null) outgoing.once('socket', (socket: Socket) => void (socket.destroyed || serve(incoming, outgoing)))
    else serve(incoming, outgoing)
  }
}

/**
 * Has the rest of a paused connection go through its stream, which keeps it until the connection is resumed. By default node's parser is fed by the TLS layer
 * itself, which hands over all records that it has read, whether or not the parser is paused: the parser fails with HPE_PAUSED, and node cuts the
 * connection. An ordinary client meets this when the end of a large answer reaches it before node hears that the answer was taken, and it sends a large
 * request at once. Node gives the connection back to the stream as soon as it gets a listener for data.
 */
function readThroughStream(socket: Socket): void {
  const listener = (): void => {}
  socket.on('data', listener)
  socket.off('data', listener)
  // The stream believes that it is being read for, as it was before the parser took over, and would not start to read when it is resumed.
  socket.push(Buffer.alloc(0))
}

/**
 * Node counts a stream that its client gave up until the event loop comes round, so one that takes its place at once may be beyond the limit
 * that both sides agreed on. That costs this stream (a client that is far from the limit never sees it); by default a hundred of them, or a
 * thousand streams that were given up, cost the connection and every watch on it.
 */
const generous = { maxSessionRejectedStreams: 10_000, streamResetBurst: 10_000, streamResetRate: 1_000 } as const

function createHttp2Half(options: TlsListenerOptions, sessions: Set<ServerHttp2Session>): Http2Server {
  const http2 = createHttp2Server({
    // Large lists to several streams of one connection count against this too, hence more than the default 10 MB.
    maxSessionMemory: 64,
    ...generous,
    settings: { maxConcurrentStreams: options.maxStreams, initialWindowSize: streamWindow, maxHeaderListSize: maxHeaderBytes },
  })
  // Never listens itself: it makes node's requests and responses of streams.
  const whole = createHttp2Server(options.requestListener)
  http2.on('stream', (stream: ServerHttp2Stream, headers, flags, rawHeaders) => {
    if (!Http2Incoming.suffices(stream, headers)) return void whole.emit('stream', stream, headers, flags, rawHeaders)
    const incoming = new Http2Incoming(stream, headers, rawHeaders)
    const outgoing = new Http2Outgoing(incoming)
    options.requestListener(incoming as unknown as Http2ServerRequest, outgoing as unknown as Http2ServerResponse)
  })
  http2.on('session', (session) => {
    sessions.add(session)
    const stalls = new StreamStalls(options.stallMs)
    session.on('stream', (stream) => stalls.add(stream))
    // The timer is set back by every frame; a quiet connection with a watch open stays.
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
