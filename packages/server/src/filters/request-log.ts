import { formatDuration } from '@keelson/apimachinery'
import type { Filter } from './filter.ts'

/** Log record of a request. The names are those of kube-apiserver, except `user` and `impersonatedUser`. */
export interface RequestRecord extends Readonly<Record<string, unknown>> {
  readonly verb: string
  readonly URI: string
  /**
   * Time from the end of the request's headers to the end of the response. It is rounded to microseconds and formatted as in Go, such as
   * "4.355ms".
   */
  readonly latency: string
  readonly userAgent: string
  readonly 'audit-ID': string
  readonly srcIP: string
  /** Name of the authenticated user. "" if the request was not authenticated. */
  readonly user: string
  /** Name of the impersonated user. Absent without impersonation. */
  readonly impersonatedUser?: string
  // Fields of other filters follow, such as `apf_pl`.
  /** HTTP status, or 0 if the client disconnected before the response. */
  readonly resp: number
}

/** Formats milliseconds like Go formats durations, rounded to microseconds. */
export function formatMilliseconds(milliseconds: number): string {
  return formatDuration(BigInt(Math.round(milliseconds * 1000)) * 1000n)
}

/** Creates a filter that logs every request when its response is written or its client has disconnected. */
export function logRequest(log: ((record: RequestRecord) => void) | undefined, isEnabled: () => boolean = () => true): Filter | undefined {
  if (log === undefined) return undefined
  return (exchange) => {
    if (!isEnabled()) return
    const { incoming, outgoing } = exchange
    const { remoteAddress = '', remotePort = 0 } = incoming.socket
    exchange.logFields = {}
    outgoing.once('close', () => {
      const { requestor, user } = exchange
      log({
        verb: exchange.method,
        URI: incoming.url ?? '',
        latency: formatMilliseconds(performance.now() - exchange.started),
        userAgent: exchange.userAgent,
        'audit-ID': exchange.requestId,
        srcIP: remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`,
        user: requestor.name,
        ...(user !== requestor && { impersonatedUser: user.name }),
        ...exchange.logFields,
        resp: outgoing.headersSent ? outgoing.statusCode : 0,
      })
    })
  }
}
