import type { Exchange } from '@keelson/exchange'
import type { OutboundClient, ServiceReference } from '@keelson/outbound'

/** The server of an APIService, to which requests are forwarded. A changed APIService gets a new target, so targets can be keys of caches. */
export interface ProxyTarget {
  /** Name of the APIService, such as "v1beta1.metrics.k8s.io". */
  readonly name: string
  readonly service: ServiceReference
  /** CA certificates in PEM that the server's certificate must chain to. Default: those of the system. */
  readonly caBundle?: Uint8Array
  readonly insecureSkipTLSVerify: boolean
  /** The status of the condition Available. It may change during the life of the target. */
  readonly isAvailable: boolean
}

/** The connections to the servers of APIServices. */
export interface ProxyTransport extends Disposable {
  /**
   * Forwards the request of an exchange and sends the answer. Never rejects: a server that cannot be reached is answered with 503. Upgrades
   * are passed on.
   */
  proxyRequest(exchange: Exchange, target: ProxyTarget): Promise<void>
  /**
   * Returns the client for requests of the aggregator itself (availability, discovery, OpenAPI). It uses the front-proxy certificate, adds no
   * user, and belongs to the transport.
   */
  getClient(target: ProxyTarget): OutboundClient
  /** Resolves a service again for its next request, because its objects have changed. Without a service: all services. */
  forgetAddress(service?: Pick<ServiceReference, 'namespace' | 'name'>): void
  /** Closes the idle connections of a target that is no longer used. Requests in flight finish. */
  release(target: ProxyTarget): void
}
