import type { Span } from '@keelson/apimachinery'
import type { Exchange } from '@keelson/exchange'
import type { RequestTracer } from '@keelson/tracing'
import type { Filter } from './filter.ts'

/** Creates a filter that starts the trace of a request with the step of its authentication. */
export function traceAuthentication(tracer: RequestTracer | undefined): Filter | undefined {
  if (tracer === undefined) return undefined
  return (exchange) => {
    const span = tracer.start(exchange)
    if (span !== undefined) enter(exchange, span)
  }
}

/** Creates a filter that starts the span of a request. It follows the authentication, because only some users' trace contexts are trusted. */
export function traceRequest(tracer: RequestTracer | undefined): Filter | undefined {
  return tracer && ((exchange) => void (exchange.span = tracer.receive(exchange)))
}

/** Returns a filter with a step of its own in the trace of a request. The steps of later filters and of the handler are inside of it. */
export function tracePhase(tracer: RequestTracer | undefined, name: string, filter: Filter | undefined): Filter | undefined {
  if (tracer === undefined) return filter
  return (exchange) => {
    const { span } = exchange
    const phase = span?.startPhase(name)
    if (phase !== undefined && phase !== span) enter(exchange, phase)
    return filter?.(exchange)
  }
}

/** Makes a span the current one until the exchange ends. */
function enter(exchange: Exchange, span: Span): void {
  exchange.span = span
  exchange.onEnd(() => span.end())
}
