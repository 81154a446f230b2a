import type { RequestInfo } from '@keelson/apimachinery'
import { RequestInfoError, parseRequestInfo } from '@keelson/exchange'
import type { Exchange, RequestAttributes, Route } from '@keelson/exchange'
import { createPlainError, sendPlain } from '../plain-answer.ts'
import type { Filter, FilterOutcome } from './filter.ts'

/**
 * Creates a filter that parses the URL into request attributes and finds the route. A request without a route passes the filter: it is
 * authenticated and authorized before it gets 404.
 */
export function requestInfo(findRoute: (info: RequestAttributes) => Route | undefined): Filter {
  return (exchange) => {
    if (!exchange.hasValidTarget) return sendRefusal(exchange, 400, '400 Bad Request')
    try {
      const info = parseRequestInfo(exchange.method, exchange.target, exchange.query)
      exchange.interpret(info, info.isResourceRequest ? findRoute(info) : undefined)
      exchange.isLongRunning = isLongRunning(info)
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
export function isLongRunning(info: RequestInfo): boolean {
  return (
    longVerbs.has(info.verb) || (info.isResourceRequest ? longSubresources.has(info.subresource) : info.path.startsWith('/debug/pprof/'))
  )
}
