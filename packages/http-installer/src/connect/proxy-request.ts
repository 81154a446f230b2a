import { posix } from 'node:path'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { newServiceUnavailable } from '@keelson/apimachinery'
import type { Remote } from '@keelson/registry'
import { ClientGoneError, sendBytes } from '@keelson/exchange'
import { forwardAnswer } from './forward-answer.ts'
import type { ForwardedAnswer } from './forward-answer.ts'
import { hasBody, selectForwardedHeaders, withoutHopByHop } from './forwarded-headers.ts'
import type { Passage } from './passage.ts'
import { escapePath, formatRemoteError, requestRemote } from './remote-request.ts'
import { LinkRewriter } from './rewrite-links.ts'

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH'])

/** Forwards a request and streams the response back. Neither side is read faster than the other one reads. */
export async function proxyRequest(passage: Passage, remote: Remote): Promise<void> {
  const { exchange } = passage
  const { incoming } = exchange.createNodeStreams()
  const target = exchange.target
  const path = remote.path.endsWith('/') || !target.path.endsWith('/') ? remote.path : `${remote.path}/`
  if (path === '' && (exchange.method === 'GET' || exchange.method === 'HEAD')) {
    // Adds a trailing slash by a redirect. Without it, relative links of a page at ".../proxy" would lose the last segment.
    const location = `${escapePath(target.path)}/${target.query === '' ? '' : `?${target.query}`}`
    return sendBytes(exchange, 301, { location }, '')
  }
  const prefix = target.path.endsWith(path) ? target.path.slice(0, target.path.length - path.length) : target.path
  const headers = requestHeaders(incoming, posix.join(prefix, path))
  const request = requestRemote(remote, { method: exchange.method, headers, path, query: target.query, signal: exchange.signal })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.on('error', (error) => {
      reject(
        exchange.signal.aborted
          ? new ClientGoneError()
          : newServiceUnavailable(`error trying to reach service: ${formatRemoteError(error)}`),
      )
    })
    request.once('upgrade', (_message, socket) => {
      socket.destroy()
      reject(newServiceUnavailable('error trying to reach service: it changed the protocol unasked'))
    })
    incoming.on('error', () => request.destroy())
    // Uses `pipe` instead of `pipeline`: if the other server responds before it has read the whole request, the client must still get the
    // response.
    incoming.pipe(request)
  })
  try {
    const { statusCode = 0 } = answer
    if (statusCode < 200) throw newServiceUnavailable(`error trying to reach service: malformed HTTP status code "${statusCode}"`)
    const links = new LinkRewriter({ prefix, remote, clientHost: incoming.headers.host ?? '' })
    return await forwardAnswer(passage, new RemoteAnswer(answer), links)
  } finally {
    // Stops reading the response of the other server.
    answer.destroy()
  }
}

class RemoteAnswer implements ForwardedAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: IncomingMessage

  constructor(message: IncomingMessage) {
    this.status = message.statusCode ?? 502
    this.headers = message.headers
    this.rawHeaders = message.rawHeaders
    this.body = message
  }

  get isComplete(): boolean {
    return this.body.complete
  }
}

function requestHeaders(incoming: IncomingMessage, forwardedUri: string): string[] {
  const headers: (readonly [string, string])[] = [...withoutHopByHop(selectForwardedHeaders(incoming))].filter(
    ([name]) => name.toLowerCase() !== 'x-forwarded-uri',
  )
  headers.push(['X-Forwarded-Uri', escapePath(forwardedUri)])
  if (headers.some(([name]) => name.toLowerCase() === 'content-length')) return headers.flat()
  if (hasBody(incoming)) headers.push(['Transfer-Encoding', 'chunked'])
  else if (methodsWithBody.has(incoming.method ?? '')) headers.push(['Content-Length', '0'])
  return headers.flat()
}
