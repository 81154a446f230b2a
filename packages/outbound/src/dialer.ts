import type { IncomingHttpHeaders } from 'node:http'
import { Connections } from './connections.ts'
import { connect, dialDirectly } from './dial-tls.ts'
import type { Dial, EgressNetwork, TlsSettings } from './dial-tls.ts'
import { OutboundError, hostAndPort } from './failure.ts'
import type { Destination } from './failure.ts'
import { isStale, send } from './send.ts'
import type { Message, RawAnswer } from './send.ts'

/** A reference to a port of a Service, as in webhook configurations and APIServices. */
export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** Resolves a Service to an address: its cluster IP or a ready endpoint. Throws an error whose message is shown to clients. */
export interface ServiceResolver {
  resolve(service: ServiceReference): Promise<Destination> | Destination
}

export interface DialerOptions {
  /** Function that opens connections, for example through a proxy of an egress selector. Default: `dialDirectly`. */
  readonly dial?: Dial
  /** Resolver of Services. If absent, the DNS name of the Service is dialed. */
  readonly resolver?: ServiceResolver
  /** Maximum number of open connections of one client. Default 100. */
  readonly maxConnections?: number
  /** Maximum number of running and waiting requests of one client. Default 10,000. */
  readonly maxRequests?: number
  /** Time after which an unused connection is closed, in milliseconds. Default 90 s, as in Go. */
  readonly idleTimeoutMs?: number
}

/** The server of an outbound client and how to connect to it. */
export interface ClientTarget {
  /** URL with the scheme https or http. Its path is the default path of requests. */
  readonly url: string
  /** Service to dial instead of the URL's host. */
  readonly service?: ServiceReference
  readonly tls?: TlsSettings
  /** Network for egress selection. Default: `cluster` if `service` is set, otherwise `controlplane`. */
  readonly network?: EgressNetwork
}

export interface OutboundRequest {
  readonly method?: string
  /** Path and query of the request. Default: those of the client's URL. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** Timeout of the whole request in milliseconds, including connecting and reading the response. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Maximum size of the response body. A larger response is an error. Default 4 MiB. */
  readonly maxBytes?: number
  /** Whether the request may be retried if a reused connection turns out to be closed. Default: true for GET and HEAD. */
  readonly idempotent?: boolean
}

export type OutboundAnswer =
  | { readonly failed: false; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  | {
      readonly failed: true
      readonly error: OutboundError
      /** True if the status and the headers of the response had arrived. Default: false. */
      readonly partial?: boolean
      /** Error message of Go's HTTP client, for example `Post "https://…": dial tcp …: connect: connection refused`. */
      readonly message: string
    }

/** An HTTP client for one server with its own connection pool. */
export interface OutboundClient extends Disposable {
  /** Sends a request. Never rejects: failures are part of the answer. Redirects are not followed. */
  request(request: OutboundRequest): Promise<OutboundAnswer>
}

/** Creates the HTTP clients for all outbound requests of the server. */
export interface Dialer {
  /** Creates a client. Throws if the URL is not valid. Certificates and keys are parsed when the first connection is opened. */
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
  /** "https://host:port" as configured. Error messages and the Host header keep a port even if it is the scheme's default. */
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
    const urlDestination: Destination = { host, port: Number(url.port || (isSecure ? 443 : 80)) }
    const open = async (protocols: readonly string[]) => {
      const destination = service === undefined || resolver === undefined ? urlDestination : await resolveService(resolver, service)
      return connect(destination, { dial, network, host, tls: isSecure ? (target.tls ?? {}) : undefined, protocols })
    }
    this.#connections = new Connections(open, { maxConnections, idleTimeoutMs }, isSecure)
  }

  async request(request: OutboundRequest): Promise<OutboundAnswer> {
    const { method = 'GET', path = `${this.#url.pathname}${this.#url.search}` } = request
    const message = this.#message(request, { method, path })
    try {
      return { failed: false, ...(await this.#inTime(request, message)) }
    } catch (error) {
      const failure = error instanceof OutboundError ? error : new OutboundError('closed', String(error), { cause: error })
      const verb = `${method.slice(0, 1)}${method.slice(1).toLowerCase()}`
      return {
        failed: true,
        error: failure,
        ...(message.progress.isAnswered && { partial: true }),
        message: `${verb} ${JSON.stringify(this.#origin + path)}: ${failure.message}`,
      }
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
      progress: { isAnswered: false },
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
      const connection = await this.#connections.reserve(signal)
      try {
        signal.throwIfAborted()
        return await send(connection, message, { signal, maxBytes })
      } catch (error) {
        connection.release()
        if (!(error instanceof OutboundError)) throw error
        if (error.kind === 'timeout' && connection.protocol === 'h2') this.#connections.check(connection.session)
        // A refused request was not processed, so a retry is safe.
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

/** Returns the URL of a Service's port. Its host is the expected name in the certificate. */
export function buildServiceUrl({ namespace, name, port }: ServiceReference, path = ''): string {
  return `https://${hostAndPort({ host: `${name}.${namespace}.svc`, port })}${path.startsWith('/') || path === '' ? path : `/${path}`}`
}
