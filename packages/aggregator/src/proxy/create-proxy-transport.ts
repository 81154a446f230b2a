import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { sendBytes } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'
import { OutboundError } from '@keelson/outbound'
import type { OutboundClient, ServiceReference, ServiceResolver, StreamDialer } from '@keelson/outbound'
import type { ProxyTarget, ProxyTransport } from '../target.ts'
import { createCertificateMetrics } from './certificate-metrics.ts'
import type { CertificateMetrics } from './certificate-metrics.ts'
import { forwardRequest } from './forward-request.ts'
import { forwardUpgrade } from './forward-upgrade.ts'
import { ProxyCertificate } from './proxy-certificate.ts'
import type { CertificatePair } from './proxy-certificate.ts'
import { TargetClients, TransportError } from './target-clients.ts'
import type { LeasedClient } from './target-clients.ts'

export interface ProxyTransportOptions {
  readonly dialer: StreamDialer
  /** Finds the address of a service: for each request, or after changes of the service if it is stable. */
  readonly resolver: ServiceResolver
  /** Reads the client certificate that identifies this server. Absent: the other servers cannot trust the users of forwarded requests. */
  readonly readCertificate?: (() => Promise<CertificatePair>) | undefined
  /** Whether a redirect of another server is answered with 502. Default: true. */
  readonly rejectRedirects?: boolean | undefined
  /** Signal that aborts when the server stops. */
  readonly stopping: AbortSignal
  readonly metrics: MetricsRegistry
  /** Counts a request that this server answered instead of the other one. */
  readonly onTerminated?: ((exchange: Exchange, code: number) => void) | undefined
  /** Called with problems of the client certificate, for the log. */
  readonly onError?: ((text: string) => void) | undefined
  readonly clock?: Pick<Clock, 'now'> | undefined
}

/**
 * Creates the connections to the servers of APIServices.
 *
 * @example
 * const transport = createProxyTransport({ dialer, resolver, readCertificate, stopping, metrics })
 * await transport.proxyRequest(exchange, target)
 */
export function createProxyTransport(options: ProxyTransportOptions): ProxyTransport {
  const { dialer, resolver, readCertificate, onError = () => {}, clock = systemClock } = options
  const certificate = new ProxyCertificate({ read: readCertificate, clock, onError })
  return new Transport(new TargetClients({ dialer, resolver, certificate }), createCertificateMetrics(options.metrics), options)
}

class Transport implements ProxyTransport {
  readonly #clients: TargetClients
  readonly #certificateMetrics: CertificateMetrics
  readonly #options: ProxyTransportOptions

  constructor(clients: TargetClients, certificateMetrics: CertificateMetrics, options: ProxyTransportOptions) {
    this.#clients = clients
    this.#certificateMetrics = certificateMetrics
    this.#options = options
  }

  async proxyRequest(exchange: Exchange, target: ProxyTarget): Promise<void> {
    if (!target.isAvailable) return this.#terminate(exchange, 503, 'service unavailable')
    let leased: LeasedClient
    try {
      const lease = this.#clients.lease(target)
      leased = lease instanceof Promise ? await lease : lease
    } catch (error) {
      if (error instanceof TransportError) return this.#terminate(exchange, 500, error.message)
      return this.#terminate(exchange, 503, 'service unavailable')
    }
    try {
      await this.#forward(exchange, leased)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      if (exchange.signal.aborted) throw exchange.signal.reason
      this.#certificateMetrics.countFailure(error, leased.authority.replace(/:\d+$/, ''), exchange)
      writePlainError(exchange, 503, exchange.upgrade === undefined ? `error trying to reach service: ${error.message}` : error.message)
    } finally {
      leased.close()
    }
  }

  getClient(target: ProxyTarget): OutboundClient {
    return {
      request: async (request) => {
        let leased: LeasedClient
        try {
          leased = await this.#clients.lease(target)
        } catch (error) {
          const failure = error instanceof OutboundError ? error : new OutboundError('tls', (error as Error).message, { cause: error })
          return { failed: true, error: failure, message: failure.message }
        }
        try {
          return await leased.client.request(request)
        } finally {
          leased.close()
        }
      },
      [Symbol.dispose]: () => {},
    }
  }

  forgetAddress(service?: Pick<ServiceReference, 'namespace' | 'name'>): void {
    this.#clients.forgetAddress(service)
  }

  release(target: ProxyTarget): void {
    this.#clients.release(target)
  }

  [Symbol.dispose](): void {
    this.#clients[Symbol.dispose]()
  }

  #forward(exchange: Exchange, leased: LeasedClient): Promise<void> {
    const { stopping, rejectRedirects = true } = this.#options
    const { upgrade } = exchange
    return upgrade === undefined
      ? forwardRequest({ exchange, stopping }, leased, { rejectRedirects })
      : forwardUpgrade({ exchange, upgrade, stopping }, leased)
  }

  #terminate(exchange: Exchange, code: number, text: string): void {
    this.#options.onTerminated?.(exchange, code)
    writePlainError(exchange, code, text)
  }
}

/** Answers with an error in plain text, like kube-apiserver's aggregator. */
function writePlainError(exchange: Exchange, code: number, text: string): void {
  sendBytes(exchange, code, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }, `${text}\n`)
}
