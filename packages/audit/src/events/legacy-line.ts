import { quote } from '@keelson/apimachinery'
import { formatNanoTime } from './event-json.ts'

interface EventUser {
  readonly username?: string
  readonly groups?: readonly string[]
}

/** The members of an event that a line of text has. */
interface LegacyEvent {
  readonly auditID: string
  readonly stage: string
  readonly requestURI: string
  readonly verb: string
  readonly user: EventUser
  readonly impersonatedUser?: EventUser
  readonly sourceIPs?: readonly string[]
  readonly userAgent?: string
  readonly objectRef?: { readonly namespace?: string }
  readonly responseStatus?: { readonly code?: number }
  readonly requestReceivedTimestamp: string
}

/** Formats the summary of an event as one line of kube-apiserver's format `legacy`. */
export function formatLegacyLine(summary: string): string {
  const event = JSON.parse(summary) as LegacyEvent
  const { user, impersonatedUser, objectRef, responseStatus } = event
  const values = {
    id: event.auditID,
    stage: event.stage,
    ip: event.sourceIPs?.[0] ?? '<unknown>',
    method: event.verb,
    user: user.username ?? '<none>',
    groups: user.username === undefined || user.groups === undefined ? '<none>' : quoteAll(user.groups),
    as: impersonatedUser === undefined ? '<self>' : (impersonatedUser.username ?? ''),
    asgroups: impersonatedUser?.groups === undefined ? '<lookup>' : quoteAll(impersonatedUser.groups),
    'user-agent': event.userAgent ?? '',
    namespace: objectRef?.namespace ?? '<none>',
    uri: event.requestURI,
  }
  const members = Object.entries(values).map(([name, value]) => `${name}=${quote(value)}`)
  const response = responseStatus === undefined ? '<deferred>' : (responseStatus.code ?? 0)
  return `${formatNanoTime(event.requestReceivedTimestamp)} AUDIT: ${members.join(' ')} response="${response}"`
}

function quoteAll(texts: readonly string[]): string {
  return texts.map(quote).join(',')
}
