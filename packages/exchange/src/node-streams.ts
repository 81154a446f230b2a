import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'

/** A request as Node gives it. */
export type Incoming = (IncomingMessage | Http2ServerRequest) & {
  /** Defined where `Incoming` and `Outgoing` implement less than Node's own streams (HTTP/2 without a body): creates Node's own. */
  nodePair?(): NodePair
}
export type Outgoing = ServerResponse | Http2ServerResponse

export interface NodePair {
  readonly incoming: Incoming
  readonly outgoing: Outgoing
}

/** The connection of a request that asks to change the protocol, and the bytes read after its headers. */
export interface Upgrade {
  readonly socket: Duplex
  readonly head: Buffer
}
