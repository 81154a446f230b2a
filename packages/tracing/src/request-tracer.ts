import type { IncomingHttpHeaders } from 'node:http'
import { mastersGroup } from '@keelson/apimachinery'
import type { LazySpanAttributes, Span, SpanAttributes } from '@keelson/apimachinery'
import type { Exchange, RequestAttributes } from '@keelson/exchange'
import type { ExportedSpan, SpanSource } from './exported-span.ts'
import { passContext } from './passed-context.ts'
import { RequestSpan } from './request-span.ts'
import type { TraceLog } from './trace-log.ts'

/** Records the traces of requests. */
export interface RequestTracer {
  /** Starts the trace of a request, with its authentication. Returns undefined if the request is not recorded. */
  start(exchange: Exchange): Span | undefined
  /** Starts the span of a request whose user is authenticated. Its trace context is used. */
  receive(exchange: Exchange): Span | undefined
  /** Starts a step of the server itself, which is only logged. Returns undefined if the log of slow requests is off. */
  startStep(name: string, attributes?: LazySpanAttributes): Span | undefined
  /** Sends the waiting spans, and closes the connection to the collector. */
  shutdown(): Promise<void>
}

export interface RequestTracerOptions {
  /** Source of exported spans. Default: spans are not exported. */
  readonly source?: SpanSource | undefined
  /** Log of slow requests. Default: slow requests are not logged. */
  readonly log?: TraceLog | undefined
}

/**
 * Creates a tracer. Requests are recorded if spans are exported or slow requests are logged. Otherwise only the trace context of a request
 * is passed on to other servers.
 */
export function createRequestTracer({ source, log }: RequestTracerOptions): RequestTracer {
  const findLog = (): TraceLog | undefined => (log?.isEnabled() === true ? log : undefined)
  const startReceived = (exchange: Exchange): ExportedSpan | undefined => {
    const { headers } = exchange.incoming
    if (source === undefined) return passContext(headers)
    const span = source.startReceived(
      { name: formatSpanName(exchange), scope: 'http', kind: 'server', attributes: () => describeRequest(exchange, headers) },
      { headers, isTrusted: isTrusted(exchange), parent: (exchange.span as RequestSpan).exported! },
    )
    exchange.onEnd(() => {
      span.setAttributes(describeResponse(exchange))
      if (exchange.outgoing.statusCode >= 500) span.setFailed('')
      span.end()
    })
    return span
  }
  return {
    start(exchange) {
      const exported = source?.startRoot({ name: 'authentication', scope: 'phases', started: exchange.started })
      const requestLog = findLog()
      if (exported === undefined && requestLog === undefined) return undefined
      return new RequestSpan({ auditId: exchange.requestId, exported, log: requestLog })
    },
    receive(exchange) {
      const exported = startReceived(exchange)
      const requestLog = findLog()
      if (exported === undefined && requestLog === undefined) return undefined
      return new RequestSpan({ auditId: exchange.requestId, exported, log: requestLog })
    },
    startStep(name, attributes) {
      const stepLog = findLog()
      return stepLog && new RequestSpan({ auditId: '', exported: undefined, log: stepLog }).startChild(name, attributes)
    },
    shutdown: () => source?.shutdown() ?? Promise.resolve(),
  }
}

/** Only these clients decide whether their requests are sampled. */
function isTrusted({ requestor }: Exchange): boolean {
  return requestor.groups.includes(mastersGroup) || requestor.groups.includes('system:monitoring')
}

/** Returns the method, with the pattern of the path for a request of a resource: "GET /api/v1/namespaces/{:namespace}/pods/{:name}". */
function formatSpanName({ method, attributes }: Pick<Exchange, 'method' | 'attributes'>): string {
  return attributes.isResourceRequest ? `${method} ${formatPathPattern(attributes)}` : method
}

function formatPathPattern({ apiPrefix, apiGroup, apiVersion, namespace, resource, name, subresource }: RequestAttributes): string {
  const group = apiGroup === '' ? '' : `/${apiGroup}`
  const inNamespace = namespace === '' ? '' : '/namespaces/{:namespace}'
  const object = `${name === '' ? '' : '/{:name}'}${subresource === '' ? '' : `/${subresource}`}`
  return `/${apiPrefix}${group}/${apiVersion}${inNamespace}/${resource}${object}`
}

/** Attributes of OpenTelemetry's semantic conventions for HTTP servers, and those that kube-apiserver adds. */
function describeRequest(exchange: Exchange, headers: IncomingHttpHeaders): SpanAttributes {
  const { incoming, method, target, userAgent } = exchange
  const { remoteAddress = '', remotePort = 0 } = incoming.socket
  const host = splitHost(headers.host ?? (headers[':authority'] as string | undefined) ?? '')
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',', 1)[0]!
  const client = forwarded || remoteAddress
  return {
    'server.address': host.name,
    'http.request.method': method,
    'url.scheme': 'https',
    ...(host.port !== 0 && host.port !== 443 && { 'server.port': host.port }),
    ...(remoteAddress !== '' && { 'network.peer.address': remoteAddress, 'network.peer.port': remotePort }),
    ...(userAgent !== '' && { 'user_agent.original': userAgent }),
    ...(client !== '' && { 'client.address': client }),
    'url.path': target.path,
    'network.protocol.version': incoming.httpVersion,
    'http.target': target.text,
    'audit-id': exchange.requestId,
  }
}

function describeResponse({ incoming, outgoing, sentBytes }: Exchange): SpanAttributes {
  const receivedBytes = Number(incoming.headers['content-length'] ?? 0)
  return {
    ...(receivedBytes > 0 && { 'http.request.body.size': receivedBytes }),
    ...(sentBytes > 0 && { 'http.response.body.size': sentBytes }),
    'http.response.status_code': outgoing.statusCode,
  }
}

/** Splits a Host header. The port is 0 if there is none. */
function splitHost(host: string): { readonly name: string; readonly port: number } {
  const port = /:([0-9]+)$/.exec(host)?.[1]
  const name = port === undefined ? host : host.slice(0, -port.length - 1)
  return { name: name.replace(/^\[|\]$/g, ''), port: Number(port ?? 0) }
}
