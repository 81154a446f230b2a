import type { APIService } from '@keelson/api/apiregistration/v1'
import type { Clock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { Aggregation, DiscoveryRegistry, OpenApiRegistry } from '@keelson/http-installer'
import type { LoopbackClient, LoopbackResource, WorkQueueMetrics } from '@keelson/loopback'
import type { ServiceResolver } from '@keelson/outbound'
import { ApiServiceIndex } from './apiservices/api-service-index.ts'
import { apiServicesResource } from './apiservices/index.ts'
import type { Availability } from './apiservices/conditions.ts'
import { AvailabilityController } from './availability/availability-controller.ts'
import { createAvailabilityMetrics } from './availability/availability-metrics.ts'
import { createServiceCheck } from './availability/check-service.ts'
import { ServiceChanges } from './availability/service-changes.ts'
import { listRemoteContent } from './content/remote-content.ts'
import type { RemoteContent } from './content/remote-content.ts'
import { DiscoveryController } from './discovery/discovery-controller.ts'
import { ListedGroups } from './discovery/listed-groups.ts'
import { OpenApiController } from './openapi/openapi-controller.ts'
import { SwaggerController } from './openapi/swagger-controller.ts'
import { AutoRegistration } from './registration/auto-registration.ts'
import { AggregatedRoutes } from './routing/aggregated-routes.ts'
import type { ProxyTransport } from './target.ts'

export interface AggregatorOptions {
  readonly client: LoopbackClient
  /** The installed groups. */
  readonly discovery: DiscoveryRegistry
  /** The OpenAPI documents of the installed groups. */
  readonly openApi: OpenApiRegistry
  /** Connections to the servers of APIServices. The aggregator disposes them. */
  readonly transport: ProxyTransport
  /** Finds the addresses of services. */
  readonly resolver: ServiceResolver
  readonly clock: Clock
  readonly metrics: MetricsRegistry
  /** Called when an APIService becomes available or unavailable. */
  readonly onAvailability?: (name: string, availability: Availability) => void
  /** Called for each failure of a controller. Failed steps are always retried. */
  readonly onError: (controller: string, error: unknown) => void
}

/** The server in front of the installed groups: it follows the APIServices and forwards the requests of some groups to other servers. */
export interface Aggregator extends AsyncDisposable {
  /** The part of the aggregator that answers requests. */
  readonly aggregation: Aggregation
  /** Names of the APIServices of built-in groups that are not available yet. */
  readonly pending: readonly string[]
  /** Paths that other servers serve, for the list of all paths. */
  readonly paths: readonly string[]
  /** Returns the namespaced resources of other servers, as far as their discovery documents were read. */
  listContent(): RemoteContent
  /** Starts to follow the APIServices. Resolves when all that existed at the start have routes. */
  start(queueMetrics: WorkQueueMetrics): Promise<void>
  /** Resolves when the discovery documents of all servers that existed at the start were read, or could not be read. */
  discover(): Promise<void>
  /**
   * Starts to create and delete the APIServices of installed groups. All stored definitions must be served before. Resolves when those of
   * built-in groups exist.
   */
  register(): Promise<void>
}

/**
 * Creates the aggregator of a server.
 *
 * @example
 * const aggregator = createAggregator({ client, discovery, openApi, transport, resolver, clock, metrics, onError })
 * const host = createGroupHost({ app, serving: { discovery, aggregation: aggregator.aggregation } })
 */
export function createAggregator(options: AggregatorOptions): Aggregator {
  return new RunningAggregator(options)
}

class RunningAggregator implements Aggregator {
  readonly aggregation: Aggregation
  readonly #options: AggregatorOptions
  readonly #index: ApiServiceIndex
  readonly #routes: AggregatedRoutes
  readonly #remote = new Set<string>()
  readonly #services: ServiceChanges
  #discovery: DiscoveryController | undefined
  #openApi: OpenApiController | undefined
  #swagger: SwaggerController | undefined
  #isStarted = false
  #queueMetrics: WorkQueueMetrics | undefined
  #availability: AvailabilityController | undefined
  #registration: AutoRegistration | undefined

  constructor(options: AggregatorOptions) {
    this.#options = options
    const { client, clock, transport, onError } = options
    this.#index = new ApiServiceIndex({ clock, onError: (error) => onError('apiservice-index', error) })
    this.#routes = new AggregatedRoutes(transport)
    const groups = new ListedGroups(this.#index)
    this.aggregation = {
      routeOf: (group, version) => this.#routes.findRoute(group, version),
      listedGroups: () => (this.#isStarted ? groups.list() : undefined),
      listedGroup: (name) => (this.#isStarted ? groups.get(name) : undefined),
    }
    this.#services = new ServiceChanges({
      client,
      clock,
      onReplace: () => transport.forgetAddress(),
      onChange: (namespace, name) => {
        transport.forgetAddress({ namespace, name })
        this.#checkService(namespace, name)
      },
      onError: (error) => onError('service-changes', error),
    })
    this.#index.subscribe((change) => {
      this.#routes.apply(change)
      if (change.record?.service === undefined) this.#remote.delete(change.name)
      else this.#remote.add(change.name)
      this.#services.isNeeded = this.#remote.size > 0
    })
  }

  get pending(): readonly string[] {
    return this.#registration?.pending ?? []
  }

  get paths(): readonly string[] {
    return this.#routes.paths
  }

  listContent(): RemoteContent {
    return listRemoteContent({ discovered: this.#discovery?.listRemoteResources() ?? [], findClient: (name) => this.#findClient(name) })
  }

  async start(queueMetrics: WorkQueueMetrics): Promise<void> {
    const { client, clock, metrics, resolver, discovery, openApi, onAvailability = () => {}, onError } = this.#options
    this.#queueMetrics = queueMetrics
    this.#isStarted = true
    const resource = this.#resource
    this.#index.follow(resource)
    await this.#index.synced
    const findClient = (name: string): ReturnType<ProxyTransport['getClient']> | undefined => this.#findClient(name)
    this.#availability = new AvailabilityController({
      resource,
      index: this.#index,
      clock,
      queueMetrics,
      onChange: onAvailability,
      onError,
      metrics: createAvailabilityMetrics(metrics),
      checkService: createServiceCheck({ client, resolver, findClient }),
    })
    this.#discovery = new DiscoveryController({ index: this.#index, discovery, findClient, clock, queueMetrics })
    this.#openApi = new OpenApiController({
      index: this.#index,
      openApi,
      findClient,
      findRoute: (group, version) => this.#routes.findRoute(group, version),
      clock,
      queueMetrics,
      onError: (error) => onError('openapi', error),
    })
    this.#swagger = new SwaggerController({
      index: this.#index,
      openApi,
      findClient,
      clock,
      queueMetrics,
      onError: (error) => onError('openapi-v2', error),
    })
  }

  async discover(): Promise<void> {
    await this.#discovery?.readAll()
  }

  async register(): Promise<void> {
    const { discovery, clock, onError } = this.#options
    this.#registration = new AutoRegistration({
      resource: this.#resource,
      index: this.#index,
      discovery,
      clock,
      metrics: this.#queueMetrics!,
      onError: (error) => onError('autoregister', error),
    })
    await this.#registration.completed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registration?.[Symbol.asyncDispose]()
    await this.#services[Symbol.asyncDispose]()
    await this.#index[Symbol.asyncDispose]()
    await this.#availability?.[Symbol.asyncDispose]()
    await this.#discovery?.[Symbol.asyncDispose]()
    await this.#openApi?.[Symbol.asyncDispose]()
    await this.#swagger?.[Symbol.asyncDispose]()
    this.#options.transport[Symbol.dispose]()
  }

  get #resource(): LoopbackResource<APIService> {
    return this.#options.client.resource<APIService>(apiServicesResource)!
  }

  #findClient(name: string): ReturnType<ProxyTransport['getClient']> | undefined {
    const target = this.#routes.findTarget(name)
    return target && this.#options.transport.getClient(target)
  }

  #checkService(namespace: string, name: string): void {
    for (const apiService of this.#remote) {
      const record = this.#index.get(apiService)
      if (record?.service?.namespace === namespace && record.service.name === name) this.#availability?.check(record)
    }
  }
}
