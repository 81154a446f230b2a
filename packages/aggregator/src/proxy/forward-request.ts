import { sendBytes } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'
import { escapePath, forwardAnswer, hasBody } from '@keelson/http-installer'
import type { Passage } from '@keelson/http-installer'
import { OutboundError } from '@keelson/outbound'
import type { StreamedAnswer } from '@keelson/outbound'
import { createForwardedHeaders } from './request-headers.ts'
import type { LeasedClient } from './target-clients.ts'

export interface ForwardOptions {
  /** Whether a redirect is answered with 502 instead of being sent to the client. */
  readonly rejectRedirects: boolean
  /** Headers to add, as alternating names and values. */
  readonly addedHeaders?: readonly string[]
}

/** Timeout of discovery requests in milliseconds, because every client waits for them. */
const discoveryTimeoutMs = 5000
/** Methods whose requests carry a length even without a body. */
const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Forwards a request and streams the answer back. Neither side is read faster than the other one reads. Rejects with an `OutboundError` if there
 * is no answer.
 */
export async function forwardRequest(passage: Passage, leased: LeasedClient, options: ForwardOptions): Promise<void> {
  passage.exchange.watchInitialized?.()
  const { exchange } = passage
  const { rejectRedirects, addedHeaders = [] } = options
  const answer = await sendRequest(exchange, leased, addedHeaders)
  try {
    if (answer.status < 200) throw new OutboundError('protocol', `malformed HTTP status code "${answer.status}"`)
    if (rejectRedirects && answer.status >= 300 && answer.status <= 399 && answer.headers.location !== undefined) {
      return sendBytes(exchange, 502, { 'content-type': 'text/plain; charset=utf-8' }, refusedRedirect)
    }
    await forwardAnswer(passage, answer, leased.links)
  } finally {
    answer[Symbol.dispose]()
  }
}

const refusedRedirect = 'the backend attempted to redirect this request, which is not permitted'

function sendRequest(exchange: Exchange, { client, authority }: LeasedClient, addedHeaders: readonly string[]): Promise<StreamedAnswer> {
  const { incoming } = exchange.createNodeStreams()
  const headers = [...createForwardedHeaders(exchange, authority), ...addedHeaders]
  const body = hasBody(incoming) ? incoming : undefined
  if (body === undefined && methodsWithBody.has(exchange.method) && incoming.headers['content-length'] === undefined) {
    headers.push('Content-Length', '0')
  }
  const query = encodeQuery(exchange)
  return client.stream({
    method: exchange.method,
    path: escapePath(exchange.target.path) + (query === '' ? '' : `?${query}`),
    headers,
    body,
    span: exchange.span,
    signal: isDiscovery(exchange) ? AbortSignal.any([exchange.signal, AbortSignal.timeout(discoveryTimeoutMs)]) : exchange.signal,
  })
}

/** Returns whether a request asks for the resources of a group version: "/apis/GROUP/VERSION". */
function isDiscovery({ attributes, target }: Exchange): boolean {
  return !attributes.isResourceRequest && target.segments.length === 3
}

/**
 * Encodes the query from the parameters that this server has read, sorted by name. The server behind then reads the same ones, because readers
 * differ on semicolons and broken escapes.
 */
export function encodeQuery({ target, query }: Pick<Exchange, 'target' | 'query'>): string {
  if (target.query === '') return ''
  const sorted = [...query].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
}
