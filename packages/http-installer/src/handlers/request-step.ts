import { getErrorMessage } from '@keelson/apimachinery'
import type { Span, SpanAttributes } from '@keelson/apimachinery'
import { decideReportedScope, decideReportedVerb } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'

/** Time in milliseconds from which a handler is in the log of slow requests. */
const slowHandlerMs = 500
/** Time in milliseconds from which sending a response is in the log of slow requests. */
const slowResponseMs = 5000

/** Starts the step of a handler in the trace of a recorded request. The handler adds events to `exchange.span`. */
export function startHandlerStep(exchange: Exchange, request: Span, name: string): void {
  exchange.span = request.startChild(name, () => describeRequest(exchange))
}

/** Ends the step of a handler, if one was started. */
export function endHandlerStep(exchange: Exchange, request: Span): void {
  if (exchange.span === request) return
  exchange.span?.end(slowHandlerMs)
  exchange.span = request
}

/** The steps of a watch that begins with the existing objects. They end when these objects are sent. */
export class WatchListSteps {
  readonly #exchange: Exchange
  readonly #request: Span
  readonly #watch: Span
  #response: Span | undefined

  /** Starts the step of the watch. */
  constructor(exchange: Exchange, request: Span) {
    this.#exchange = exchange
    this.#request = request
    this.#watch = request.startChild('WatchList', () => describeRequest(exchange))
    exchange.span = this.#watch
  }

  startResponse(content: ResponseContent): void {
    this.#response = this.#watch.startChild('WatchServer.HandleHTTP', () => describeResponse(this.#exchange, content))
    this.#response.addEvent('About to start writing response')
  }

  /** Ends the steps: the initial events are sent. */
  finish(): void {
    this.#response?.addEvent('Writing initial events done')
    this.#end(slowResponseMs, slowHandlerMs)
  }

  /** Ends the steps of a watch that has ended. Does nothing if they have ended before. */
  close(): void {
    this.#end(undefined, undefined)
  }

  #end(responseMs: number | undefined, watchMs: number | undefined): void {
    if (this.#exchange.span !== this.#watch) return
    this.#response?.end(responseMs)
    this.#watch.end(watchMs)
    this.#exchange.span = this.#request
  }
}

/** Sends the response of a handler that is not a list. */
export async function sendResponseInStep(exchange: Exchange, content: ResponseContent, send: () => void | Promise<void>): Promise<void> {
  const handler = exchange.span!
  handler.addEvent('About to write a response')
  await sendInStep(exchange, content, send)
  handler.addEvent('Writing http response done')
}

export interface ResponseContent extends SpanAttributes {
  readonly mediaType: string
  /** Name of the encoding: json, yaml, protobuf or cbor. */
  readonly encoder: string
}

/** Sends a response within the step `SerializeObject` of a recorded request. */
export async function sendInStep(exchange: Exchange, content: ResponseContent, send: () => void | Promise<void>): Promise<void> {
  const handler = exchange.span
  const step = startResponseStep(exchange, content)
  exchange.span = step
  try {
    const sending = send()
    if (sending !== undefined) await sending
    endResponseStep(exchange, step)
  } catch (error) {
    endResponseStep(exchange, step, error)
    throw error
  } finally {
    exchange.span = handler
  }
}

/** Starts the step `SerializeObject` of a recorded request. */
export function startResponseStep(exchange: Exchange, content: ResponseContent): Span {
  const step = exchange.span!.startChild('SerializeObject', () => describeResponse(exchange, content))
  step.addEvent('About to start writing response')
  return step
}

export function endResponseStep(exchange: Exchange, step: Span, error?: unknown): void {
  const size = exchange.sentBytes
  if (error === undefined) step.addEvent('Write call succeeded', { size })
  else step.addEvent('Write call failed', { size, err: getErrorMessage(error) })
  step.end(slowResponseMs)
}

/** Describes a response for the step `SerializeObject` and for steps of watches. */
export function describeResponse(exchange: Exchange, content: ResponseContent): SpanAttributes {
  const { method, target, requestId } = exchange
  return { 'audit-id': requestId, method, url: target.path, protocol: formatProtocol(exchange), ...content }
}

const maxUserAgentLength = 1024

/** Describes a request with the names of kube-apiserver. */
function describeRequest(exchange: Exchange): SpanAttributes {
  const { incoming, attributes, target, userAgent } = exchange
  const scope = decideReportedScope(attributes)
  return {
    accept: exchange.accept,
    'audit-id': exchange.requestId,
    client: incoming.socket.remoteAddress ?? 'unknown',
    'api-group': attributes.apiGroup,
    'api-version': attributes.apiVersion,
    name: attributes.name,
    subresource: attributes.subresource,
    namespace: attributes.namespace,
    protocol: formatProtocol(exchange),
    resource: attributes.resource,
    scope,
    url: target.path,
    'user-agent': userAgent.length > maxUserAgentLength ? `${userAgent.slice(0, maxUserAgentLength)}...TRUNCATED` : userAgent,
    verb: decideReportedVerb(exchange, scope),
  }
}

function formatProtocol({ incoming }: Exchange): string {
  return `HTTP/${incoming.httpVersion}`
}
