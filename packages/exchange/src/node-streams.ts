import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'

/** A request of Node's HTTP/1.1 or HTTP/2 server. */
export type Incoming = (IncomingMessage | Http2ServerRequest) & {
  /** Creates Node's own streams. Only set if `Incoming` and `Outgoing` do not implement all their members (HTTP/2 without a body). */
  nodePair?(): NodePair
}
export type Outgoing = ServerResponse | Http2ServerResponse

export interface NodePair {
  readonly incoming: Incoming
  readonly outgoing: Outgoing
}

/** The connection of an upgrade request, with the bytes read after its headers. */
export interface Upgrade {
  readonly socket: Duplex
  readonly head: Buffer
}
