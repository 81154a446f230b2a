import type { Duplex, Readable } from 'node:stream'
import type { Span } from '@keelson/apimachinery'
import type { ClientCertificate } from './client-certificate.ts'
import { callOnce, Connections, waitUnlessAborted } from './connections.ts'
import { connect, dialDirectly } from './dial-tls.ts'
import type { Dial, EgressNetwork, TlsSettings } from './dial-tls.ts'
import { OutboundError, joinHostAndPort } from './failure.ts'
import type { Destination } from './failure.ts'
import { replaceHeaders, startHttpCall } from './http-call.ts'
import { isStale, openStream } from './open-stream.ts'
import type { Message, StreamedAnswer } from './open-stream.ts'
import { answerInTime, createCanceledError, defaultMaxBytes, getOrigin, toOutboundError } from './outbound-request.ts'
import type { OutboundAnswer, OutboundRequest } from './outbound-request.ts'
import { readAnswer } from './read-answer.ts'

/** A reference to a port of a Service, as in webhook configurations and APIServices. */
export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** Resolves a Service to an address: its cluster IP or a ready endpoint. Throws an error whose message is shown to clients. */
export interface ServiceResolver {
  /** Whether a service has the same address until a watch reports that its objects changed. Callers may then keep the address. Default: false. */
  readonly isStable?: boolean
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
  /**
   * Returns the client certificate, instead of that of `tls`. It is called for each request. With another certificate, new connections are opened,
   * and the others close after their requests.
   */
  readonly readCertificate?: (() => Promise<ClientCertificate | undefined>) | undefined
  /** Network for egress selection. Default: `cluster` if `service` is set, otherwise `controlplane`. */
  readonly network?: EgressNetwork
  /** Maximum number of open connections. Default: that of the dialer. */
  readonly maxConnections?: number
}

/** A request whose body and response are streamed. It has no timeout of its own. */
export interface StreamRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Header names and values, alternating, without `Host` and the headers of a connection. The length of the body is sent if it is set here. */
  readonly headers: readonly string[]
  readonly body?: Readable | undefined
  /** Aborts the request, also while the body of the response is read. */
  readonly signal: AbortSignal
  /** Step of a recorded request that this request belongs to. Its trace context is sent. */
  readonly span?: Span | undefined
}

/** An HTTP client for one server with its own connection pool. */
export interface OutboundClient extends Disposable {
  /** Sends a request. Never rejects: failures are part of the answer. Redirects are not followed. */
  request(request: OutboundRequest): Promise<OutboundAnswer>
}

/** A client that also forwards requests: bodies and responses are streamed. */
export interface StreamClient extends OutboundClient {
  /**
   * Sends a request and resolves when the headers of the response have arrived. Rejects with an `OutboundError`. A request without a body and
   * with a safe method is sent again if a reused connection turns out to be closed. The caller must dispose the answer.
   *
   * @example
   * using answer = await client.stream({ method: 'GET', path: '/apis', headers: ['accept', 'application/json'], signal })
   * await pipeline(answer.body, createWriteStream('apis.json'))
   */
  stream(request: StreamRequest): Promise<StreamedAnswer>
  /**
   * Opens a connection for HTTP/1.1 that is not part of the pool, for a request that changes the protocol. Rejects with an `OutboundError`. The
   * caller must close the connection.
   */
  connect(signal: AbortSignal): Promise<Duplex>
}

/** Creates the HTTP clients for all outbound requests of the server. */
export interface Dialer {
  /** Creates a client. Throws if the URL is not valid. Certificates and keys are parsed when the first connection is opened. */
  client(target: ClientTarget): OutboundClient
}

/** A dialer whose clients can stream. */
export interface StreamDialer extends Dialer {
  client(target: ClientTarget): StreamClient
}

/**
 * Creates a dialer.
 *
 * @example
 * const client = createDialer().client({ url: 'https://hooks.example.com/admit', tls: { authorities: pem } })
 * const answer = await client.request({ method: 'POST', body: '{}', timeoutMs: 10_000 })
 */
export function createDialer(options: DialerOptions = {}): StreamDialer {
  return { client: (target) => new Client(target, options) }
}

class Client implements StreamClient {
  readonly #url: URL
  readonly #origin: string
  readonly #scheme: Message['scheme']
  readonly #authority: string
  readonly #createConnections: (certificate: ClientCertificate | undefined) => Connections
  readonly #readCertificate: ClientTarget['readCertificate']
  #certificate: ClientCertificate | undefined
  #connections: Connections
  #isDisposed = false
  readonly #maxRequests: number
  #running = 0

  constructor(target: ClientTarget, options: DialerOptions) {
    const { dial = dialDirectly, resolver, maxConnections = 100, maxRequests = 10_000, idleTimeoutMs = 90_000 } = options
    const url = (this.#url = new URL(target.url))
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw new TypeError(`unsupported protocol scheme "${url.protocol.slice(0, -1)}"`)
    this.#origin = getOrigin(target.url)
    this.#authority = this.#origin.slice(this.#origin.indexOf('//') + 2).replace(/^.*@/, '')
    this.#maxRequests = maxRequests
    const { service, network = service === undefined ? 'controlplane' : 'cluster' } = target
    const isSecure = url.protocol === 'https:'
    this.#scheme = isSecure ? 'https' : 'http'
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const urlDestination: Destination = { host, port: Number(url.port || (isSecure ? 443 : 80)) }
    const bounds = { maxConnections: target.maxConnections ?? maxConnections, idleTimeoutMs }
    this.#createConnections = (certificate) => {
      const tls = isSecure ? { ...target.tls, ...certificate } : undefined
      const open = async (protocols: readonly string[]) => {
        const destination = service === undefined || resolver === undefined ? urlDestination : await resolveService(resolver, service)
        return connect(destination, { dial, network, host, tls, protocols })
      }
      return new Connections(open, bounds, isSecure)
    }
    this.#readCertificate = target.readCertificate
    this.#connections = this.#createConnections(undefined)
  }

  request(request: OutboundRequest): Promise<OutboundAnswer> {
    const { method = 'GET', path = `${this.#url.pathname}${this.#url.search}`, headers = {}, body, maxBytes = defaultMaxBytes } = request
    const { idempotent = method === 'GET' || method === 'HEAD' } = request
    return answerInTime(request, this.#origin + path, async ({ signal, onStatus, traceHeaders }) => {
      const message = this.#message({
        method,
        path,
        headers: Object.entries({ ...headers, ...traceHeaders }).flat(),
        body: typeof body === 'string' ? Buffer.from(body) : body,
      })
      const streamed = await this.#open(message, { signal, idempotent })
      onStatus(streamed.status)
      return readAnswer(streamed, { maxBytes, signal })
    })
  }

  async stream({ signal, span, ...request }: StreamRequest): Promise<StreamedAnswer> {
    const call = span && startHttpCall(span, request.method, this.#origin + request.path)
    const headers = call === undefined ? request.headers : replaceHeaders(request.headers, call.headers)
    const message = this.#message({ ...request, headers, body: request.body })
    try {
      const answer = await this.#open(message, { signal, idempotent: request.body === undefined && safeMethods.has(request.method) })
      if (call !== undefined) answer.body.once('close', () => call.end(answer.status))
      return answer
    } catch (error) {
      const failure = signal.aborted ? createCanceledError(signal) : toOutboundError(error)
      call?.fail(failure)
      throw failure
    }
  }

  async connect(signal: AbortSignal): Promise<Duplex> {
    const leave = this.#enter()
    try {
      if (this.#readCertificate !== undefined) await this.#renewCertificate(this.#readCertificate, signal)
      const socket = await this.#connections.open(signal)
      socket.once('close', leave)
      return socket
    } catch (error) {
      leave()
      throw signal.aborted ? createCanceledError(signal) : toOutboundError(error)
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    this.#connections.close()
  }

  #message(request: Pick<Message, 'method' | 'path' | 'headers' | 'body'>): Message {
    const { method, path, headers, body } = request
    return { method, path, headers, body, scheme: this.#scheme, authority: this.#authority }
  }

  /** Replaces the connections if the client certificate has changed. */
  async #renewCertificate(readCertificate: NonNullable<ClientTarget['readCertificate']>, signal: AbortSignal): Promise<void> {
    const certificate = await waitUnlessAborted(readCertificate(), signal)
    const current = this.#certificate
    if (this.#isDisposed || (certificate?.certificate === current?.certificate && certificate?.key === current?.key)) return
    this.#certificate = certificate
    const previous = this.#connections
    this.#connections = this.#createConnections(certificate)
    previous.retire()
  }

  /** Counts a request. Returns the function that ends counting it. Throws if there are too many. */
  #enter(): () => void {
    if (this.#running >= this.#maxRequests) throw new OutboundError('dial', 'too many requests to this server are running')
    this.#running++
    return callOnce(() => this.#running--)
  }

  async #open(message: Message, { signal, idempotent }: { readonly signal: AbortSignal; readonly idempotent: boolean }) {
    const leave = this.#enter()
    try {
      if (this.#readCertificate !== undefined) await this.#renewCertificate(this.#readCertificate, signal)
      for (let attempt = 1; ; attempt++) {
        const connections = this.#connections
        const connection = connections.take() ?? (await connections.reserve(signal))
        let state: 'open' | 'answered' | 'closed' = 'open'
        const onClose = (): void => {
          connection.release()
          if (state === 'answered') leave()
          state = 'closed'
        }
        try {
          signal.throwIfAborted()
          const answer = await openStream(connection, message, { signal, onClose })
          if ((state as string) === 'closed') leave()
          else state = 'answered'
          return answer
        } catch (error) {
          connection.release()
          if (!(error instanceof OutboundError)) throw error
          if (error.kind === 'timeout' && connection.protocol === 'h2') connections.check(connection.session)
          // A refused request was not processed, so a retry is safe unless a part of its body was consumed.
          const isUnprocessed = error.kind === 'refused' && (message.body === undefined || message.body instanceof Uint8Array)
          if (attempt < 3 && (isUnprocessed || (idempotent && isStale(error)))) continue
          throw error
        }
      }
    } catch (error) {
      leave()
      throw error
    }
  }
}

/** Methods that change nothing on the server. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

async function resolveService(resolver: ServiceResolver, service: ServiceReference): Promise<Destination> {
  try {
    return await resolver.resolve(service)
  } catch (error) {
    throw new OutboundError('resolve', error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** Returns the URL of a Service's port. Its host is the expected name in the certificate. */
export function buildServiceUrl({ namespace, name, port }: ServiceReference, path = ''): string {
  return `https://${joinHostAndPort({ host: `${name}.${namespace}.svc`, port })}${path.startsWith('/') || path === '' ? path : `/${path}`}`
}
