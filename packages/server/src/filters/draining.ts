import { newServiceUnavailable } from '@keelson/apimachinery'
import { writeError } from '@keelson/http-installer'
import type { Lifecycle } from './wait-group.ts'
import { createPlainError, sendPlain } from '../plain-answer.ts'
import type { Filter } from './filter.ts'

const servedWhileDraining = ['/readyz', '/livez', '/healthz', '/metrics']

/**
 * Creates a filter that refuses requests during shutdown, except health checks and metrics. With `sendRetryAfter` the answer is 429, otherwise 503, as
 * in kube-apiserver.
 */
export function refuseWhileDraining(lifecycle: Pick<Lifecycle, 'state'>, sendRetryAfter: boolean): Filter {
  return (exchange) => {
    if (lifecycle.state === 'running' || servedWhileDraining.some((path) => exchange.attributes.path.startsWith(path))) return
    exchange.outgoing.setHeader('Connection', 'close')
    if (sendRetryAfter) {
      exchange.outgoing.setHeader('Retry-After', '5')
      sendPlain(exchange, createPlainError(429, 'The apiserver is shutting down, please try again later.'))
    } else {
      exchange.outgoing.setHeader('Retry-After', '1')
      writeError(exchange, newServiceUnavailable('apiserver is shutting down'))
    }
    return 'answered'
  }
}
