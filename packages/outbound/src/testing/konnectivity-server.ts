import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http2'
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { MessageReader } from '../egress/konnectivity/message-reader.ts'
import { decodePacket, encodePacket } from '../egress/konnectivity/packets.ts'
import type { Packet } from '../egress/konnectivity/packets.ts'
import { toDialError } from '../failure.ts'
import { parseAddress } from './http-proxy.ts'
import type { Route } from './http-proxy.ts'

export interface KonnectivityServerOptions {
  /** Path of the Unix socket to listen on. */
  readonly socket: string
  /** Default: connects to the requested address. */
  readonly route?: Route
}

export interface KonnectivityServer extends AsyncDisposable {
  /** Addresses that clients requested, in order. */
  readonly addresses: readonly string[]
  /** Number of open connections to remotes. */
  readonly openConnections: number
}

/**
 * Starts a stand-in for konnectivity's proxy server, which connects to remotes itself instead of through agents. For tests. Disposing it closes all
 * tunnels.
 */
export async function startKonnectivityServer({ socket, route = parseAddress }: KonnectivityServerOptions): Promise<KonnectivityServer> {
  const addresses: string[] = []
  const sessions = new Set<ServerHttp2Session>()
  const remotes = new Set<Socket>()
  const server = createServer()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => {})
    if (headers[':path'] !== '/ProxyService/Proxy') {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' }, { endStream: true })
      return
    }
    const tunnel = new Tunnel(stream, remotes, (address) => {
      addresses.push(address)
      return route(address)
    })
    tunnel.start()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, resolve)
  })
  return {
    addresses,
    get openConnections() {
      return remotes.size
    },
    [Symbol.asyncDispose]: () => {
      for (const session of sessions) session.destroy()
      for (const remote of remotes) remote.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** The connections of one gRPC stream. */
class Tunnel {
  readonly #stream: ServerHttp2Stream
  readonly #remotes: Set<Socket>
  readonly #route: Route
  readonly #connections = new Map<bigint, Socket>()
  readonly #dials = new Map<bigint, Socket>()
  #lastId = 0n

  constructor(stream: ServerHttp2Stream, remotes: Set<Socket>, route: Route) {
    this.#stream = stream
    this.#remotes = remotes
    this.#route = route
  }

  start(): void {
    const stream = this.#stream
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    const reader = new MessageReader()
    stream.on('data', (chunk: Buffer) => {
      for (const message of reader.read(chunk)) {
        const packet = decodePacket(message)
        if (packet !== undefined) this.#receive(packet)
      }
    })
    stream.once('end', () => stream.end())
    stream.once('close', () => {
      for (const remote of [...this.#connections.values(), ...this.#dials.values()]) remote.destroy()
    })
  }

  #receive(packet: Packet): void {
    if (packet.type === 'dialRequest') this.#dial(packet.address, packet.random)
    else if (packet.type === 'closeDial') this.#dials.get(packet.random)?.destroy()
    else if (packet.type === 'closeRequest') this.#close(packet.connectId)
    else if (packet.type === 'data' && this.#connections.get(packet.connectId)?.write(packet.data) === false) this.#stream.pause()
  }

  #dial(address: string, random: bigint): void {
    const destination = this.#route(address)
    if (destination === undefined) {
      this.#send({ type: 'dialResponse', error: 'no agent available', connectId: 0n, random })
      return
    }
    const remote = connect(destination)
    this.#remotes.add(remote)
    this.#dials.set(random, remote)
    let connectId = 0n
    remote.on('error', (error) => {
      if (connectId === 0n) this.#send({ type: 'dialResponse', error: toDialError(error, destination).message, connectId, random })
    })
    remote.once('connect', () => {
      this.#dials.delete(random)
      this.#connections.set((connectId = ++this.#lastId), remote)
      this.#send({ type: 'dialResponse', error: '', connectId, random })
      remote.on('data', (data: Buffer) => {
        if (this.#send({ type: 'data', connectId, data })) return
        remote.pause()
        this.#stream.once('drain', () => remote.resume())
      })
    })
    remote.on('drain', () => this.#stream.resume())
    remote.once('close', () => {
      this.#remotes.delete(remote)
      this.#dials.delete(random)
      if (connectId !== 0n) this.#close(connectId)
    })
  }

  #close(connectId: bigint): void {
    const remote = this.#connections.get(connectId)
    if (remote === undefined) return
    this.#connections.delete(connectId)
    this.#stream.resume()
    remote.end()
    remote.once('finish', () => remote.destroy())
    this.#send({ type: 'closeResponse', error: '', connectId })
  }

  #send(packet: Packet): boolean {
    return this.#stream.destroyed || this.#stream.writableEnded || this.#stream.write(encodePacket(packet))
  }
}
