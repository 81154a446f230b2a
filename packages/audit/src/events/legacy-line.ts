import { quote } from '@keelson/apimachinery'
import type { EventSummary } from './audit-event.ts'
import { formatNanoTime } from './event-json.ts'

/** Formats an event as one line of kube-apiserver's format `legacy`. */
export function formatLegacyLine(event: EventSummary): string {
  const { user, impersonatedUser, objectRef, status } = event
  const hasUser = user.name !== ''
  const groups = hasUser && user.groups.length > 0 ? quoteAll(user.groups) : '<none>'
  const values = {
    id: event.auditId,
    stage: event.stage,
    ip: event.sourceIps[0] ?? '<unknown>',
    method: event.verb,
    user: hasUser ? user.name : '<none>',
    groups,
    as: impersonatedUser?.name ?? '<self>',
    asgroups: impersonatedUser === undefined || impersonatedUser.groups.length === 0 ? '<lookup>' : quoteAll(impersonatedUser.groups),
    'user-agent': event.userAgent,
    namespace: objectRef?.namespace || '<none>',
    uri: event.requestUri,
  }
  const members = Object.entries(values).map(([name, value]) => `${name}=${quote(value)}`)
  return `${formatNanoTime(event.received)} AUDIT: ${members.join(' ')} response="${status === undefined ? '<deferred>' : (status.code ?? 0)}"`
}

function quoteAll(texts: readonly string[]): string {
  return texts.map(quote).join(',')
}
