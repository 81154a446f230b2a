import type { Exchange } from '@keelson/exchange'
import { isObserved } from '../request-metrics.ts'
import type { RequestMetrics } from '../request-metrics.ts'
import type { Filter } from './filter.ts'

/** Creates a filter that measures authorized requests: duration, response size, status, and the number of long-running requests. */
export function measureRequest(metrics: RequestMetrics): Filter {
  const observe = (exchange: Exchange): void => {
    const { statusCode } = exchange.outgoing
    // kube-apiserver counts the requests of its routes only. A method without a route gets 405.
    if (statusCode !== 405) metrics.observe(exchange, statusCode, (performance.now() - exchange.started) / 1000, exchange.sentBytes)
  }
  return (exchange) => {
    if (isObserved(exchange.attributes)) exchange.onEnd(observe)
    if (!exchange.isLongRunning) return
    const running = metrics.getLongRunningGauge(exchange)
    running.value++
    exchange.onEnd(() => void running.value--)
  }
}
