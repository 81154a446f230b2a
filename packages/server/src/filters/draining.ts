import type { Lifecycle } from './wait-group.ts'
import { createPlainError, sendPlain } from '../plain-answer.ts'
import type { Filter } from './filter.ts'

const servedWhileDraining = ['/readyz', '/livez', '/healthz', '/metrics']

/** Creates a filter that refuses requests during shutdown, except health checks and metrics. */
export function refuseWhileDraining(lifecycle: Lifecycle): Filter {
  return (exchange) => {
    if (lifecycle.state === 'running' || servedWhileDraining.some((path) => exchange.info.path.startsWith(path))) return
    exchange.outgoing.setHeader('Connection', 'close')
    exchange.outgoing.setHeader('Retry-After', '5')
    sendPlain(exchange, createPlainError(429, 'The apiserver is shutting down, please try again later.'))
    return 'answered'
  }
}
