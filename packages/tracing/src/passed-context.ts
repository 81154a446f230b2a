import type { IncomingHttpHeaders } from 'node:http'
import type { ExportedSpan } from './exported-span.ts'

const traceParent = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Returns a span that only passes the trace context of a request on to other servers. Returns undefined if the request has none. Servers
 * behind this one can then continue the client's trace although this one exports no spans.
 */
export function passContext(headers: IncomingHttpHeaders): ExportedSpan | undefined {
  const { traceparent, tracestate, baggage } = headers
  const hasTrace = typeof traceparent === 'string' && traceParent.test(traceparent)
  if (!hasTrace && baggage === undefined) return undefined
  const passed = {
    ...(hasTrace && { traceparent }),
    ...(hasTrace && typeof tracestate === 'string' && { tracestate }),
    ...(typeof baggage === 'string' && { baggage }),
  }
  const span: ExportedSpan = {
    startChild: () => span,
    addEvent: () => {},
    setAttributes: () => {},
    recordError: () => {},
    setFailed: () => {},
    createHeaders: () => passed,
    end: () => {},
  }
  return span
}
