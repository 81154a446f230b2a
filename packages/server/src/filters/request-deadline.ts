import { newBadRequest, newTimeout, parseDuration } from '@keelson/apimachinery'
import type { Exchange, Outgoing } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import type { RequestMetrics } from '../request-metrics.ts'
import { Deadlines } from './deadlines.ts'
import type { Filter } from './filter.ts'

/** The deadlines of a server's requests. A request that expires is answered 504, or its connection breaks if a response has begun. */
export function createDeadlines(milliseconds: number, metrics: Pick<RequestMetrics, 'terminated' | 'aborted'>): RequestDeadlines {
  return new Deadlines<Exchange>(milliseconds, (exchange) => expire(exchange, metrics))
}

export type RequestDeadlines = Deadlines<Exchange>

/** Gives each request its deadline: the server's, or an earlier one from the query parameter `timeout`. Long-running requests have none. */
export function requestDeadline(deadlines: RequestDeadlines, metrics: Pick<RequestMetrics, 'terminated' | 'aborted'>): Filter {
  return (exchange) => {
    if (exchange.isLongRunning) return keepWhileQuiet(exchange.outgoing)
    const asked = exchange.query.get('timeout')
    const milliseconds = asked ? parseTimeout(asked) : 0
    if (typeof milliseconds === 'string') {
      writeError(exchange, newBadRequest(`invalid timeout specified in the request URL - ${milliseconds}`))
      return 'answered'
    }
    if (milliseconds > 0 && milliseconds < deadlines.milliseconds) {
      const timer = setTimeout(() => expire(exchange, metrics), milliseconds)
      exchange.onEnd(() => clearTimeout(timer))
    } else {
      const deadline = deadlines.add(exchange)
      exchange.onEnd(() => deadlines.delete(deadline))
    }
  }
}

/** "10s" in milliseconds, or what is wrong with it. */
function parseTimeout(text: string): number | string {
  try {
    return Number(parseDuration(text)) / 1e6
  } catch (error) {
    return (error as Error).message
  }
}

/** The handler is not waited for any longer, so that one that never ends does not count as running for ever. */
function expire(exchange: Exchange, metrics: Pick<RequestMetrics, 'terminated' | 'aborted'>): void {
  if (exchange.isOver) return
  exchange.expire()
  metrics.terminated(exchange, 504)
  if (exchange.outgoing.headersSent) {
    metrics.aborted(exchange)
    // A broken connection, because the client must not take half a response for a whole one.
    exchange.outgoing.destroy()
  } else writeError(exchange, newTimeout('request did not complete within the allotted timeout', 0))
  exchange.end()
}

/** Keeps an HTTP/1.1 connection open while nothing is sent: a watch may be quiet for long. It is closed if events wait to be read. */
function keepWhileQuiet(outgoing: Outgoing): void {
  if ('stream' in outgoing) return
  outgoing.on('timeout', () => {
    if (outgoing.writableLength > 0) outgoing.destroy()
  })
}
