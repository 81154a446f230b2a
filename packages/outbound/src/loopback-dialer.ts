import { waitUnlessAborted } from './connections.ts'
import type { ClientTarget, Dialer, OutboundClient } from './dialer.ts'
import { OutboundError } from './failure.ts'
import { answerInTime, defaultMaxBytes, getOrigin } from './outbound-request.ts'
import type { OutboundAnswer, OutboundRequest, SendOptions } from './outbound-request.ts'
import type { RawAnswer } from './read-answer.ts'

/** Serves a request in this process, with the identity of the server. Takes the arguments of the global `fetch`, with a path as URL. */
export type ServeRequest = (path: string, init: RequestInit) => Promise<Response>

/**
 * Creates a dialer whose clients for the service `kubernetes` of the namespace `default` call this server itself. Its requests need no network,
 * certificate or credentials. Clients for other servers come from `dialer`.
 *
 * @example
 * const dialer = createLoopbackDialer(createDialer(), (path, init) => server.fetch(path, { ...init, user }))
 * const client = dialer.client({ url: 'https://kubernetes.default.svc:443/apis' })
 */
export function createLoopbackDialer(dialer: Dialer, serve: ServeRequest): Dialer {
  return { client: (target) => (isThisServer(target) ? new LoopbackClient(target.url, serve) : dialer.client(target)) }
}

function isThisServer({ url, service }: ClientTarget): boolean {
  if (service !== undefined) return service.namespace === 'default' && service.name === 'kubernetes' && service.port === 443
  return URL.canParse(url) && new URL(url).origin === 'https://kubernetes.default.svc'
}

class LoopbackClient implements OutboundClient {
  readonly #url: string
  readonly #serve: ServeRequest
  readonly #stop = new AbortController()

  constructor(url: string, serve: ServeRequest) {
    this.#url = url
    this.#serve = serve
  }

  request(request: OutboundRequest): Promise<OutboundAnswer> {
    const { pathname, search } = new URL(this.#url)
    const { path = pathname + search } = request
    return answerInTime(request, getOrigin(this.#url) + path, (options) => this.#send(path, request, options))
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new OutboundError('canceled', 'http: client is closed'))
  }

  async #send(
    path: string,
    { method = 'GET', headers = {}, body, maxBytes = defaultMaxBytes }: OutboundRequest,
    { signal: deadline, onStatus, traceHeaders }: SendOptions,
  ): Promise<RawAnswer> {
    const signal = AbortSignal.any([deadline, this.#stop.signal])
    const init: RequestInit = {
      method,
      headers: { ...headers, ...traceHeaders },
      signal,
      ...(body !== undefined && { body: body as NonNullable<RequestInit['body']> }),
    }
    const response = await waitUnlessAborted(this.#serve(path, init), signal)
    onStatus(response.status)
    const received = await waitUnlessAborted(readBody(response, maxBytes), signal)
    return { status: response.status, headers: Object.fromEntries(response.headers), body: received }
  }
}

async function readBody({ body }: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > maxBytes) throw new OutboundError('tooLarge', `the answer is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}
