import { getErrorMessage, newServiceUnavailable } from '@keelson/apimachinery'
import type { GroupVersionResource } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { BrokenResponseError, sendBytes } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'
import { writeError } from '@keelson/http-installer'
import { joinHostAndPort, OutboundError } from '@keelson/outbound'
import type { Destination } from '@keelson/outbound'
import { ExcludedVersions } from './excluded-versions.ts'
import type { DiscoveredGroup } from './merge-discovery.ts'
import { peerProxiedHeader } from './peer-clients.ts'
import { PeerDirectory } from './peer-directory.ts'
import type { PeerDirectoryOptions } from './peer-directory.ts'
import { createPeerMetrics } from './peer-metrics.ts'
import type { PeerMetrics } from './peer-metrics.ts'

type SharedOptions = Pick<PeerDirectoryOptions, 'serverId' | 'client' | 'endpoints' | 'clients' | 'queueMetrics' | 'clock'>

export interface PeerProxyOptions extends SharedOptions {
  /** Whether this server serves a resource. */
  readonly isServed: (resource: GroupVersionResource) => boolean
  readonly metrics: MetricsRegistry
  readonly stopping: AbortSignal
  /** Called with failures, for the log. */
  readonly onError: (text: string) => void
}

/** Forwards requests for resources that only other API servers of the cluster serve, for example during an upgrade. */
export class PeerProxy {
  readonly #options: PeerProxyOptions
  readonly #metrics: PeerMetrics
  readonly #excluded: ExcludedVersions
  readonly #directory: PeerDirectory
  #hasSynced = false

  constructor(options: PeerProxyOptions) {
    this.#options = options
    this.#metrics = createPeerMetrics(options.metrics)
    const { serverId, client, endpoints, clients, clock, stopping: signal, queueMetrics } = options
    const onError = (error: unknown): void => options.onError(getErrorMessage(error))
    this.#excluded = new ExcludedVersions({ client, clock, signal, onError, onChange: () => this.#directory.refilter() })
    this.#directory = new PeerDirectory({
      serverId,
      client,
      endpoints,
      clients,
      isExcluded: (groupVersion) => this.#excluded.has(groupVersion),
      metrics: this.#metrics,
      ...(queueMetrics && { queueMetrics }),
      clock,
      signal,
      onError,
    })
  }

  /** Starts to follow peers. Resolves when the existing ones are known. Until then, all requests are served locally. */
  async start(): Promise<void> {
    await this.#excluded.start()
    await this.#directory.start()
    this.#hasSynced = true
  }

  /** Number that changes with each change of the result of `getGroups`. */
  get generation(): number {
    return this.#directory.generation
  }

  /** Returns the groups that peers serve, by server name. */
  getGroups(): ReadonlyMap<string, readonly DiscoveredGroup[]> {
    return this.#directory.getGroups()
  }

  /** Forwards the request if this server does not serve its resource and a peer does. */
  filter(exchange: Exchange): Promise<'answered'> | undefined {
    const { attributes } = exchange
    if (exchange.route !== undefined || !attributes.isResourceRequest || !this.#hasSynced) return undefined
    if (exchange.getHeader(peerProxiedHeader) === 'true') return undefined
    const resource = { group: attributes.apiGroup, version: attributes.apiVersion, resource: attributes.resource }
    if (this.#options.isServed(resource)) return undefined
    const servers = this.#directory.findServers(resource)
    return servers.length === 0 ? undefined : this.#forward(exchange, servers, resource)
  }

  async #forward(exchange: Exchange, servers: readonly string[], resource: GroupVersionResource): Promise<'answered'> {
    const { clients, stopping, onError } = this.#options
    const address = await this.#findAddress(servers)
    if (address === undefined) {
      this.#metrics.forwardFailed('endpoint_resolution', resource)
      writeError(exchange, newServiceUnavailable('Error getting ip and port info of the remote server while proxying'))
      return 'answered'
    }
    try {
      await clients.forward({ exchange, stopping }, address)
    } catch (error) {
      // The client is gone, or has received a part of the answer.
      if (error instanceof BrokenResponseError || exchange.signal.aborted) return 'answered'
      if (!(error instanceof OutboundError)) throw error
      onError(`a request to ${joinHostAndPort(address)} failed: ${error.message}`)
      const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
      sendBytes(exchange, 503, headers, `${error.message}\n`)
    }
    this.#metrics.countForwarding(exchange.outgoing.statusCode, resource)
    return 'answered'
  }

  /** Returns the address of a random server that has one. */
  async #findAddress(servers: readonly string[]): Promise<Destination | undefined> {
    const endpoints = await Promise.all(servers.map((server) => this.#options.endpoints.find(server).catch(() => undefined)))
    const addresses = endpoints.filter((address) => address !== undefined)
    return addresses[Math.floor(Math.random() * addresses.length)]
  }
}
