import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'

/** A request as Node provides it. */
export type Incoming = (IncomingMessage | Http2ServerRequest) & {
  /** Set if `Incoming` and `Outgoing` implement only part of Node's streams (HTTP/2 without a body). Creates Node's own streams. */
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
