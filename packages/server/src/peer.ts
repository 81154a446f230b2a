import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { Incoming } from './active-request.ts'

/** The client's certificate, if it presented one: verified, or why not. */
export interface Peer {
  readonly certificate: PeerCertificate | undefined
  readonly error: string | undefined
  /** When the certificate does, in milliseconds. */
  readonly expires: number
}

// Read once per connection, under the socket or, for HTTP/2, the session: sessions show their socket only through a proxy.
const peers = new WeakMap<object, Peer>()

export function rememberPeer(connection: object, socket: TLSSocket): void {
  const certificate = socket.getPeerCertificate()
  if (certificate === null || Object.keys(certificate).length === 0) return
  peers.set(
    connection,
    socket.authorized
      ? { certificate, error: undefined, expires: Date.parse(certificate.valid_to) }
      : { certificate: undefined, error: String(socket.authorizationError), expires: 0 },
  )
}

/** What all requests of a connection have in common. */
export function connectionOf(incoming: Incoming): object {
  const session = incoming.httpVersionMajor === 2 && 'stream' in incoming ? incoming.stream.session : undefined
  return session ?? incoming.socket
}

export function peerOf(connection: object): Peer | undefined {
  return peers.get(connection)
}
