import type { Span } from '@keelson/apimachinery'
import type { OutboundError } from './failure.ts'

/** The span of an HTTP request to another server. */
export interface HttpCall {
  /** Headers that make the spans of the other server part of this trace. */
  readonly headers: Readonly<Record<string, string>>
  end(status: number): void
  fail(error: OutboundError): void
}

/** Starts the span of an HTTP request, with the attributes of OpenTelemetry's semantic conventions for HTTP clients. */
export function startHttpCall(parent: Span, method: string, url: string): HttpCall {
  const span = parent.startCall({ name: `HTTP ${method}`, protocol: 'http', attributes: () => describeRequest(method, url) })
  return {
    headers: span.headers,
    end(status) {
      const isFailure = status >= 400
      span.setAttributes({ 'http.response.status_code': status, ...(isFailure && { 'error.type': String(status) }) })
      span.end(isFailure ? '' : undefined)
    },
    fail(error) {
      span.setAttributes({ 'error.type': error.kind })
      span.end(error.message)
    },
  }
}

function describeRequest(method: string, url: string): Readonly<Record<string, string | number>> {
  const { hostname, port } = new URL(url)
  return {
    'http.request.method': method,
    'url.full': url,
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    ...(port !== '' && { 'server.port': Number(port) }),
  }
}

/** Returns headers, as alternating names and values, with some of them replaced. `replacements` has names in lower case. */
export function replaceHeaders(headers: readonly string[], replacements: Readonly<Record<string, string>>): readonly string[] {
  const kept = headers.filter((_text, i) => !Object.hasOwn(replacements, headers[i - (i % 2)]!.toLowerCase()))
  return [...kept, ...Object.entries(replacements).flat()]
}
