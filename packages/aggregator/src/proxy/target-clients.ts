import { LinkRewriter } from '@keelson/http-installer'
import { checkAuthorities, joinHostAndPort, OutboundError } from '@keelson/outbound'
import type { Destination, ServiceReference, ServiceResolver, StreamClient, StreamDialer } from '@keelson/outbound'
import type { ProxyTarget } from '../target.ts'
import type { CertificatePair, ProxyCertificate } from './proxy-certificate.ts'

/** A client for one address of a server. It stays open until `close` is called. */
export interface LeasedClient {
  readonly client: StreamClient
  /** Value of the Host header: "10.0.0.1:443". */
  readonly authority: string
  /** Rewrites links of the server to itself. */
  readonly links: LinkRewriter
  close(): void
}

export interface TargetClientsOptions {
  readonly dialer: StreamDialer
  readonly resolver: ServiceResolver
  readonly certificate: ProxyCertificate
}

/** Maximum number of addresses of one server with open connections. Servers with more endpoints lose the client that was added first. */
const maxAddresses = 100
/** Maximum number of connections to one address. A server without HTTP/2 needs one for each watch. */
const maxConnections = 10_000

/**
 * The clients of the servers of APIServices: one for each address, because a Service can resolve to another address for each request. A client
 * whose server, address or certificate is no longer current is disposed after its last request.
 */
export class TargetClients implements Disposable {
  readonly #options: TargetClientsOptions
  readonly #byTarget = new Map<ProxyTarget, Map<string, SharedClient>>()
  readonly #released = new WeakSet<ProxyTarget>()
  /** The clients for the current addresses of services. Used only if the resolver is stable. */
  readonly #current = new Map<ProxyTarget, SharedClient>()
  /** Number that changes when addresses are forgotten. */
  #generation = 0
  #pair: CertificatePair | undefined
  #isDisposed = false

  constructor(options: TargetClientsOptions) {
    this.#options = options
  }

  /**
   * Resolves the service of a target and returns a client for its address. Rejects with an `OutboundError` of kind `resolve` if that fails, and
   * with a `TransportError` if the CA certificates of the target cannot be used. Returns a promise only if it has to wait.
   */
  lease(target: ProxyTarget): LeasedClient | Promise<LeasedClient> {
    const certificate = this.#options.certificate.get()
    const current = this.#current.get(target)
    return current !== undefined && certificate === this.#pair ? current.lease() : this.#leaseLater(target, certificate)
  }

  /** Resolves a service again for its next request. Without a service: all services. */
  forgetAddress(service?: Pick<ServiceReference, 'namespace' | 'name'>): void {
    this.#generation++
    if (service === undefined) return this.#current.clear()
    for (const target of this.#current.keys()) {
      if (target.service.name === service.name && target.service.namespace === service.namespace) this.#current.delete(target)
    }
  }

  /** Disposes the clients of a target when their requests have ended. */
  release(target: ProxyTarget): void {
    this.#released.add(target)
    this.#retire(target)
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    this.#retireAll()
  }

  async #leaseLater(target: ProxyTarget, certificate: ReturnType<ProxyCertificate['get']>): Promise<LeasedClient> {
    const pair = certificate instanceof Promise ? await certificate : certificate
    const generation = this.#generation
    const destination = await this.#resolve(target)
    if (this.#isDisposed) throw new OutboundError('canceled', 'http: client is closed')
    if (pair !== this.#pair) {
      this.#pair = pair
      this.#retireAll()
    }
    const shared = this.#findClient(target, destination)
    const leased = shared.lease()
    if (this.#released.has(target)) this.#retire(target)
    else if (this.#options.resolver.isStable === true && generation === this.#generation) this.#current.set(target, shared)
    return leased
  }

  #retireAll(): void {
    for (const target of this.#byTarget.keys()) this.#retire(target)
  }

  #retire(target: ProxyTarget): void {
    const clients = this.#byTarget.get(target)
    this.#byTarget.delete(target)
    this.#current.delete(target)
    if (clients !== undefined) for (const client of clients.values()) client.retire()
  }

  async #resolve({ service }: ProxyTarget): Promise<Destination> {
    try {
      return await this.#options.resolver.resolve(service)
    } catch (error) {
      throw new OutboundError('resolve', error instanceof Error ? error.message : String(error), { cause: error })
    }
  }

  #findClient(target: ProxyTarget, destination: Destination): SharedClient {
    let clients = this.#byTarget.get(target)
    if (clients === undefined) this.#byTarget.set(target, (clients = new Map()))
    const authority = joinHostAndPort(destination)
    const existing = clients.get(authority)
    if (existing !== undefined) return existing
    if (clients.size >= maxAddresses) {
      const [oldest] = clients
      clients.delete(oldest![0])
      oldest![1].retire()
    }
    const created = new SharedClient(this.#createClient(target, authority), authority)
    clients.set(authority, created)
    return created
  }

  #createClient({ service: { name, namespace }, caBundle, insecureSkipTLSVerify }: ProxyTarget, authority: string): StreamClient {
    const authorities = caBundle === undefined || caBundle.length === 0 ? undefined : Buffer.from(caBundle).toString('utf8')
    if (authorities !== undefined) validateAuthorities(authorities)
    return this.#options.dialer.client({
      url: `https://${authority}`,
      network: 'cluster',
      maxConnections,
      tls: {
        serverName: `${name}.${namespace}.svc`,
        insecureSkipVerify: insecureSkipTLSVerify,
        ...(authorities !== undefined && { authorities }),
        ...(this.#pair && { certificate: this.#pair.certificate, key: this.#pair.key }),
      },
    })
  }
}

/** Thrown if the TLS settings of a target cannot be used. The message is shown to clients. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
}

function validateAuthorities(pem: string): void {
  try {
    checkAuthorities(pem)
  } catch (error) {
    throw new TransportError((error as Error).message, { cause: error })
  }
}

/** A client with the number of its users. After it was retired, it is disposed when it has no users. */
export class SharedClient {
  readonly #client: StreamClient
  readonly #authority: string
  readonly #links: LinkRewriter
  #users = 0
  #isRetired = false

  constructor(client: StreamClient, authority: string) {
    this.#client = client
    this.#authority = authority
    const colon = authority.lastIndexOf(':')
    const remote = { host: authority.slice(0, colon).replace(/^\[|\]$/g, ''), port: authority.slice(colon + 1) }
    this.#links = new LinkRewriter({ prefix: '', remote, clientHost: authority, origin: `https://${authority}` })
  }

  lease(): LeasedClient {
    this.#users++
    let isOpen = true
    return {
      client: this.#client,
      authority: this.#authority,
      links: this.#links,
      close: () => {
        if (!isOpen) return
        isOpen = false
        this.#users--
        this.#disposeUnused()
      },
    }
  }

  retire(): void {
    this.#isRetired = true
    this.#disposeUnused()
  }

  #disposeUnused(): void {
    if (this.#isRetired && this.#users === 0) this.#client[Symbol.dispose]()
  }
}
