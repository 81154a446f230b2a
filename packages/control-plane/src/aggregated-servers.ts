import { apiServicesResource, createAggregator, createProxyTransport } from '@keelson/aggregator'
import type { Aggregator, RemoteContent } from '@keelson/aggregator'
import type { Aggregation, DiscoveryRegistry, OpenApiRegistry } from '@keelson/http-installer'
import type { LoopbackClient, WorkQueueMetrics } from '@keelson/loopback'
import { describeError } from '@keelson/server'
import type { Log, Server } from '@keelson/server'
import type { GenericConfig } from './build-generic-config.ts'

interface AggregatedServersParts {
  readonly config: GenericConfig
  readonly client: LoopbackClient
  readonly discovery: DiscoveryRegistry
  readonly openApi: OpenApiRegistry
  readonly server: Pick<Server, 'addStartCheck' | 'addListedPaths' | 'countForwardingFailure' | 'holdUnknownPaths' | 'stopping'>
  readonly log: Log
  /** Whether redirects of other servers are refused. */
  readonly rejectRedirects: boolean
}

/** The other API servers to which this server forwards requests. */
export class AggregatedServers implements AsyncDisposable {
  readonly #dependencies: AggregatedServersParts
  readonly #aggregator: Aggregator
  /** Answers 404 to unknown paths from now on. Before that, the path may be one of another server. */
  #releasePaths: () => void = () => {}

  constructor(dependencies: AggregatedServersParts) {
    this.#dependencies = dependencies
    const { config, client, discovery, openApi, server, log, rejectRedirects } = dependencies
    const { clock, metrics, dialer, resolver } = config
    this.#aggregator = createAggregator({
      client,
      discovery,
      openApi,
      transport: createProxyTransport({
        dialer,
        resolver,
        readCertificate: config.certificates.proxyClient,
        rejectRedirects,
        stopping: server.stopping,
        metrics,
        onTerminated: server.countForwardingFailure,
        onError: (text) => log(0, text),
      }),
      resolver,
      clock,
      metrics,
      onAvailability: (name, { status, reason, message }) => log(2, 'APIService availability', { name, status, reason, message }),
      onError: (controller, error) => log(0, 'Controller failed', { controller, err: describeError(error) }),
    })
  }

  get aggregation(): Aggregation {
    return this.#aggregator.aggregation
  }

  /** Prepares the start after the groups were installed. Without the resource apiservices, nothing is forwarded. */
  prepare(): void {
    const { client, server } = this.#dependencies
    if (client.resource(apiServicesResource) === undefined) return
    this.#releasePaths = server.holdUnknownPaths()
    server.addListedPaths(() => this.#aggregator.paths)
    server.addStartCheck({
      name: 'autoregister-completion',
      check: () => {
        const { pending } = this.#aggregator
        if (pending.length > 0) throw new Error(`missing APIService: [${pending.join(' ')}]`)
      },
    })
  }

  /** Starts to forward requests. Resolves when all APIServices that existed at the start have routes. */
  async start(metrics: WorkQueueMetrics): Promise<void> {
    await this.#aggregator.start(metrics)
    this.#releasePaths()
  }

  /** Returns the namespaced resources of the other servers. */
  listContent(): RemoteContent {
    return this.#aggregator.listContent()
  }

  /** Resolves when the discovery documents of the other servers were read. */
  discover(): Promise<void> {
    return this.#aggregator.discover()
  }

  /** Starts to create the APIServices of installed groups. All custom resources must be served before. */
  register(): Promise<void> {
    return this.#aggregator.register()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#aggregator[Symbol.asyncDispose]()
  }
}
