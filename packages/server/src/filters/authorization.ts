import { quote } from '@keelson/apimachinery'
import { createForbiddenError } from '@keelson/auth'
import type { Authorizer, Decision } from '@keelson/auth'
import type { Exchange } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import type { AccessMetrics } from './authentication.ts'
import { createPlainError, sendPlain } from '../plain-answer.ts'
import type { Filter, FilterOutcome } from './filter.ts'

/**
 * Creates a filter that answers 403 unless the authorizer allows the request. Answers 500 if an authorizer failed. The authorizer gets the
 * same attributes that selected the route.
 */
export function authorize(authorizer: Authorizer, access: Pick<AccessMetrics, 'recordAuthorization'>): Filter {
  function finish(exchange: Exchange, { decision, reason, error }: Decision): FilterOutcome {
    const isUndecided = error !== undefined && decision !== 'allow'
    const milliseconds = performance.now() - exchange.phaseStarted
    access.recordAuthorization(isUndecided ? 'error' : decision, milliseconds / 1000)
    exchange.audit?.addLatency('authorization', milliseconds)
    if (isUndecided) exchange.audit?.annotate('authorization.k8s.io/reason', 'internal error')
    else exchange.audit?.recordDecision(decision === 'allow' ? 'allow' : 'forbid', reason)
    if (decision === 'allow') return
    if (isUndecided) {
      sendPlain(exchange, createPlainError(500, `Internal Server Error: ${quote(exchange.incoming.url ?? '')}: ${error}`))
      return 'answered'
    }
    writeError(exchange, createForbiddenError({ user: exchange.user, action: exchange.attributes }, reason))
    return 'answered'
  }
  return (exchange) => {
    const decision = authorizer.authorize({ user: exchange.user, action: exchange.attributes })
    return decision instanceof Promise ? decision.then((late) => finish(exchange, late)) : finish(exchange, decision)
  }
}
