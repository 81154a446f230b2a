import { randomInt } from 'node:crypto'
import { connect } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import type { Duplex } from 'node:stream'
import { OutboundError } from '../../failure.ts'
import { KonnectivityConnection } from './konnectivity-connection.ts'
import { MessageReader } from './message-reader.ts'
import { decodePacket, encodePacket } from './packets.ts'
import type { Packet } from './packets.ts'

/** Bytes that the proxy may send before they are read. They stay in memory while a slow client reads. */
const receiveWindow = 256 * 1024
/** Time in milliseconds that the proxy has to end an abandoned dial. */
const abandonTimeoutMs = 1000

/**
 * Connects to konnectivity's proxy server. Returns the function that opens a tunnel to an address. It may be called once, because each connection
 * has a gRPC connection of its own, as in kube-apiserver. Rejects with an `OutboundError`.
 */
export async function connectKonnectivity(
  socket: Duplex,
  signal: AbortSignal,
): Promise<(address: string, signal: AbortSignal) => Promise<Duplex>> {
  const session = await openSession(socket, signal)
  return (address, dialSignal) => openTunnel(session, address, dialSignal)
}

/** Opens an HTTP/2 session. Resolves when the proxy's settings have arrived, so that a proxy without HTTP/2 is found out early. */
function openSession(socket: Duplex, signal: AbortSignal): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect('http://localhost', {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: receiveWindow },
    })
    let failure: Error | undefined
    const abort = (): void => session.destroy(signal.reason as Error)
    session.on('error', (error: Error) => (failure = error))
    session.once('close', () => {
      signal.removeEventListener('abort', abort)
      socket.destroy()
      reject(signal.aborted ? (signal.reason as Error) : createTunnelError('connection error: the proxy closed the connection', failure))
    })
    session.once('remoteSettings', () => {
      signal.removeEventListener('abort', abort)
      session.setLocalWindowSize(receiveWindow)
      resolve(session)
    })
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
  })
}

function openTunnel(session: ClientHttp2Session, address: string, signal: AbortSignal): Promise<Duplex> {
  const random = BigInt(randomInt(1, 2 ** 48 - 1))
  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream
    try {
      stream = session.request({ ':method': 'POST', ':path': '/ProxyService/Proxy', 'content-type': 'application/grpc', te: 'trailers' })
    } catch (error) {
      session.destroy()
      return reject(createTunnelError('tunnel closed', error))
    }
    let connection: KonnectivityConnection | undefined
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', abort)
      if (connection === undefined) session.destroy()
      connection?.break(error)
      reject(error)
    }
    const abort = (): void => {
      stream.end(encodePacket({ type: 'closeDial', random }))
      setTimeout(() => session.destroy(), abandonTimeoutMs).unref()
      reject(signal.reason as Error)
    }
    const accept = (packet: Packet): void => {
      if (connection !== undefined) return connection.receive(packet)
      if (packet.type === 'closeDial') return fail(createTunnelError('dial closed'))
      if (packet.type !== 'dialResponse') return
      if (packet.random !== random) return fail(createTunnelError('tunnel closed'))
      if (packet.error !== '') return fail(createTunnelError(packet.error))
      signal.removeEventListener('abort', abort)
      resolve((connection = new KonnectivityConnection({ session, stream, id: packet.connectId })))
    }
    const reader = new MessageReader()
    stream.on('data', (chunk: Buffer) => {
      try {
        for (const message of reader.read(chunk)) {
          const packet = decodePacket(message)
          if (packet !== undefined) accept(packet)
        }
      } catch (error) {
        fail(createTunnelError(`tunnel closed: ${(error as Error).message}`, error))
      }
    })
    stream.on('error', () => {})
    for (const event of ['end', 'close']) stream.once(event, () => fail(createTunnelError('tunnel closed')))
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) return abort()
    stream.write(encodePacket({ type: 'dialRequest', protocol: 'tcp', address, random }))
  })
}

function createTunnelError(message: string, cause?: unknown): OutboundError {
  return new OutboundError('dial', message, { cause })
}
