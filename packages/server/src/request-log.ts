import { formatDuration } from '@keelson/apimachinery'
import type { Incoming, Outgoing } from './active-request.ts'

/** What the log says of a request when it is over. The names are kube-apiserver's; `user` and `impersonatedUser` are ours. */
export interface RequestRecord extends Readonly<Record<string, unknown>> {
  readonly verb: string
  readonly URI: string
  /** From the end of the request's headers to the end of its answer, in Go's notation, rounded to microseconds: "4.355ms". */
  readonly latency: string
  readonly userAgent: string
  readonly 'audit-ID': string
  readonly srcIP: string
  /** Empty for a request that was not authenticated. */
  readonly user: string
  /** On whose behalf the user asked; absent without impersonation. */
  readonly impersonatedUser?: string
  /** 0: the client left before there was an answer. */
  readonly resp: number
}

/** What the handler chain learns about a request after its record was begun. */
export interface PendingRecord {
  user: string
  impersonatedUser: string | undefined
}

/** Calls `log` when the answer is written, or its client has left. */
export function recordAtEnd(
  log: (record: RequestRecord) => void,
  incoming: Incoming,
  outgoing: Outgoing,
  requestId: string,
): PendingRecord {
  const started = performance.now()
  const { remoteAddress = '', remotePort = 0 } = incoming.socket
  const pending: PendingRecord = { user: '', impersonatedUser: undefined }
  outgoing.once('close', () => {
    log({
      verb: incoming.method ?? '',
      URI: incoming.url ?? '',
      latency: formatDuration(BigInt(Math.round((performance.now() - started) * 1000)) * 1000n),
      userAgent: incoming.headers['user-agent'] ?? '',
      'audit-ID': requestId,
      srcIP: remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`,
      user: pending.user,
      ...(pending.impersonatedUser !== undefined && { impersonatedUser: pending.impersonatedUser }),
      resp: outgoing.headersSent ? outgoing.statusCode : 0,
    })
  })
  return pending
}
