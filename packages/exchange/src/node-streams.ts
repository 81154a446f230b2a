import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'

/** A request of Node's HTTP/1.1 or HTTP/2 server. */
export type Incoming = (IncomingMessage | Http2ServerRequest) & {
  /**
   * Creates Node's own request and response. Set only if `Incoming` and `Outgoing` lack some of their members, which is the case for HTTP/2
   * requests without a body.
   */
  getNodePair?(): NodePair
}
export type Outgoing = ServerResponse | Http2ServerResponse

export interface NodePair {
  readonly incoming: Incoming
  readonly outgoing: Outgoing
}

/** The socket of an upgrade request, and the bytes that were read after its headers. */
export interface Upgrade {
  readonly socket: Duplex
  readonly head: Buffer
}
