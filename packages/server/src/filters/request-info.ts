import type { RequestInfo } from '@keelson/apimachinery'
import { RequestInfoError, parseRequestInfo } from '@keelson/exchange'
import type { Exchange, RequestAttributes, Route } from '@keelson/exchange'
import { createPlainError, sendPlain } from '../plain-answer.ts'
import type { Filter, FilterOutcome } from './filter.ts'

/**
 * Creates a filter that parses the URL into request attributes and finds the route. A request without a route passes the filter: it is
 * authenticated and authorized before it gets 404.
 */
export function requestInfo(findRoute: (attributes: RequestAttributes) => Route | undefined): Filter {
  return (exchange) => {
    if (!exchange.hasValidTarget) return sendRefusal(exchange, 400, '400 Bad Request')
    try {
      const attributes = parseRequestInfo(exchange.method, exchange.target, exchange.query)
      exchange.interpret(attributes, attributes.isResourceRequest ? findRoute(attributes) : undefined)
      exchange.isLongRunning = isLongRunning(attributes)
    } catch (error) {
      if (!(error instanceof RequestInfoError)) throw error
      const url = JSON.stringify(exchange.target.text)
      return sendRefusal(exchange, 500, `Internal Server Error: ${url}: failed to create RequestInfo: ${error.message}`)
    }
  }
}

function sendRefusal(exchange: Exchange, status: number, text: string): FilterOutcome {
  sendPlain(exchange, createPlainError(status, text))
  return 'answered'
}

const longVerbs = new Set(['watch', 'proxy'])
const longSubresources = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

/**
 * Returns whether a request is long-running, such as a watch. Such requests have no deadline, do not count against the in-flight limits,
 * and are ended at shutdown.
 */
export function isLongRunning(attributes: RequestInfo): boolean {
  return (
    longVerbs.has(attributes.verb) ||
    (attributes.isResourceRequest ? longSubresources.has(attributes.subresource) : attributes.path.startsWith('/debug/pprof/'))
  )
}
