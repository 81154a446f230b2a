import type { Incoming, Outgoing } from './active-request.ts'

/** What is said of a request when it is over, by the names that the original's log has. */
export interface RequestRecord {
  readonly verb: string
  readonly URI: string
  /** Seconds from the end of its headers to the end of its answer. */
  readonly latency: number
  readonly userAgent: string
  readonly 'audit-ID': string
  readonly srcIP: string
  /** 0: the client left before there was an answer. */
  readonly resp: number
}

/** Calls `log` when the answer is written, or its client has left. */
export function recordAtEnd(log: (record: RequestRecord) => void, incoming: Incoming, outgoing: Outgoing, requestId: string): void {
  const started = performance.now()
  const { remoteAddress = '', remotePort = 0 } = incoming.socket
  outgoing.once('close', () => {
    log({
      verb: incoming.method ?? '',
      URI: incoming.url ?? '',
      latency: (performance.now() - started) / 1000,
      userAgent: incoming.headers['user-agent'] ?? '',
      'audit-ID': requestId,
      srcIP: remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`,
      resp: outgoing.headersSent ? outgoing.statusCode : 0,
    })
  })
}
