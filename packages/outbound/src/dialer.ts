import type { IncomingHttpHeaders } from 'node:http'
import { Connections } from './connections.ts'
import { connect, dialDirectly } from './dial-tls.ts'
import type { Dial, EgressNetwork, TlsSettings } from './dial-tls.ts'
import { OutboundError, hostAndPort } from './failure.ts'
import type { Destination } from './failure.ts'
import { isStale, send } from './send.ts'
import type { Message, RawAnswer } from './send.ts'

/** A port of a service, as webhook configurations and APIServices name it. */
export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** Finds the address of a service: its cluster IP, or an endpoint that is ready. Throws an error whose message clients see. */
export interface ServiceResolver {
  resolve(service: ServiceReference): Promise<Destination> | Destination
}

export interface DialerOptions {
  /** Opens connections. Default: directly. Egress selection replaces it. */
  readonly dial?: Dial
  /** Without it, a service is dialed by its name. */
  readonly resolver?: ServiceResolver
  /** Connections of one client at the same time. Default 100. */
  readonly maxConnections?: number
  /** Requests of one client at the same time, those that wait included. Default 10,000. */
  readonly maxRequests?: number
  /** An unused connection is closed after this time, ms. Default 90 s, as in Go. */
  readonly idleTimeoutMs?: number
}

/** The server that a client talks to. */
export interface ClientTarget {
  /** https or http. Its path is the default path of requests. */
  readonly url: string
  /** Dialed in place of the URL's host. */
  readonly service?: ServiceReference
  readonly tls?: TlsSettings
  /** Default: controlplane, and cluster for a service. */
  readonly network?: EgressNetwork
}

export interface OutboundRequest {
  readonly method?: string
  /** Path and query. Default: those of the client's URL. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** For the whole request, including connecting and the answer's body, ms. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Longer answers fail. Default 4 MiB. */
  readonly maxBytes?: number
  /** May be sent again if an idle connection turns out to be closed. Default: true for GET and HEAD. */
  readonly idempotent?: boolean
}

export type OutboundAnswer =
  | { readonly failed: false; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  | {
      readonly failed: true
      readonly error: OutboundError
      /** As Go's client reports it: `Post "https://…": dial tcp …: connect: connection refused`. */
      readonly message: string
    }

/** Sends requests to one server over connections of its own. */
export interface OutboundClient extends Disposable {
  /** Never rejects. Redirects are not followed. */
  request(request: OutboundRequest): Promise<OutboundAnswer>
}

/** The one way out of the server for requests. */
export interface Dialer {
  /** Throws for an invalid URL. Certificates and keys are read at the first connection. */
  client(target: ClientTarget): OutboundClient
}

const defaultMaxBytes = 4 * 1024 * 1024

/**
 * Creates a dialer.
 *
 * @example
 * const client = createDialer().client({ url: 'https://hooks.example.com/admit', tls: { authorities: pem } })
 * const answer = await client.request({ method: 'POST', body: '{}', timeoutMs: 10_000 })
 */
export function createDialer(options: DialerOptions = {}): Dialer {
  return { client: (target) => new Client(target, options) }
}

class Client implements OutboundClient {
  readonly #url: URL
  /** "https://host:port" as given: messages and the Host header keep a port that is the scheme's. */
  readonly #origin: string
  readonly #connections: Connections
  readonly #maxRequests: number
  #running = 0

  constructor(target: ClientTarget, options: DialerOptions) {
    const { dial = dialDirectly, resolver, maxConnections = 100, maxRequests = 10_000, idleTimeoutMs = 90_000 } = options
    const url = (this.#url = new URL(target.url))
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw new TypeError(`unsupported protocol scheme "${url.protocol.slice(0, -1)}"`)
    this.#origin = /^[^/]*\/\/[^/?#]*/.exec(target.url)![0]
    this.#maxRequests = maxRequests
    const { service, network = service === undefined ? 'controlplane' : 'cluster' } = target
    const isSecure = url.protocol === 'https:'
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const own: Destination = { host, port: Number(url.port || (isSecure ? 443 : 80)) }
    const open = async (protocols: readonly string[]) => {
      const destination = service === undefined || resolver === undefined ? own : await resolveService(resolver, service)
      return connect(destination, { dial, network, host, tls: isSecure ? (target.tls ?? {}) : undefined, protocols })
    }
    this.#connections = new Connections(open, { maxConnections, idleTimeoutMs }, isSecure)
  }

  async request(request: OutboundRequest): Promise<OutboundAnswer> {
    const { method = 'GET', path = `${this.#url.pathname}${this.#url.search}` } = request
    try {
      return { failed: false, ...(await this.#inTime(request, this.#message(request, { method, path }))) }
    } catch (error) {
      const failure = error instanceof OutboundError ? error : new OutboundError('closed', String(error), { cause: error })
      const verb = `${method.slice(0, 1)}${method.slice(1).toLowerCase()}`
      return { failed: true, error: failure, message: `${verb} ${JSON.stringify(this.#origin + path)}: ${failure.message}` }
    }
  }

  [Symbol.dispose](): void {
    this.#connections.close()
  }

  #message({ headers = {}, body }: OutboundRequest, { method, path }: Pick<Message, 'method' | 'path'>): Message {
    return {
      method,
      path,
      scheme: this.#url.protocol === 'https:' ? 'https' : 'http',
      authority: this.#origin.slice(this.#origin.indexOf('//') + 2).replace(/^.*@/, ''),
      headers,
      body: typeof body === 'string' ? Buffer.from(body) : body,
    }
  }

  async #inTime(request: OutboundRequest, message: Message): Promise<RawAnswer> {
    if (this.#running >= this.#maxRequests) throw new OutboundError('dial', 'too many requests to this server are running')
    const controller = new AbortController()
    const cancel = (): void => controller.abort(new OutboundError('canceled', 'context canceled', { cause: request.signal?.reason }))
    const timer = setTimeout(() => controller.abort(new OutboundError('timeout', 'context deadline exceeded')), request.timeoutMs)
    if (request.signal?.aborted === true) cancel()
    request.signal?.addEventListener('abort', cancel, { once: true })
    this.#running++
    try {
      return await this.#send(message, request, controller.signal)
    } finally {
      this.#running--
      clearTimeout(timer)
      request.signal?.removeEventListener('abort', cancel)
    }
  }

  async #send(message: Message, request: OutboundRequest, signal: AbortSignal): Promise<RawAnswer> {
    const { maxBytes = defaultMaxBytes, idempotent = message.method === 'GET' || message.method === 'HEAD' } = request
    for (let attempt = 1; ; attempt++) {
      const lane = await this.#connections.lane(signal)
      try {
        signal.throwIfAborted()
        return await send(lane, message, { signal, maxBytes })
      } catch (error) {
        lane.release()
        if (!(error instanceof OutboundError)) throw error
        if (error.kind === 'timeout' && lane.protocol === 'h2') this.#connections.check(lane.session)
        // A refused request was not processed.
        if (attempt < 3 && (error.kind === 'refused' || (idempotent && isStale(error)))) continue
        throw error
      }
    }
  }
}

async function resolveService(resolver: ServiceResolver, service: ServiceReference): Promise<Destination> {
  try {
    return await resolver.resolve(service)
  } catch (error) {
    throw new OutboundError('resolve', error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** The URL of a service's port, whose host is the name in its certificate. */
export function serviceUrl({ namespace, name, port }: ServiceReference, path = ''): string {
  return `https://${hostAndPort({ host: `${name}.${namespace}.svc`, port })}${path.startsWith('/') || path === '' ? path : `/${path}`}`
}
