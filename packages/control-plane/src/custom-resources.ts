import { createConversionMetrics, createCustomResourceHost, startDefinitionControllers } from '@keelson/apiextensions'
import type { CustomResourceHost, DefinitionControllers } from '@keelson/apiextensions'
import type { GroupHost } from '@keelson/http-installer'
import type { LoopbackClient, WorkQueueMetrics } from '@keelson/loopback'
import type { Dialer } from '@keelson/outbound'
import { describeError } from '@keelson/server'
import type { Log, Server } from '@keelson/server'
import type { GenericConfig } from './build-generic-config.ts'
import type { GroupServices } from './group-services.ts'

interface CustomResourcesParts {
  readonly config: GenericConfig
  readonly host: GroupHost<GroupServices>
  readonly client: LoopbackClient
  /** Sends requests to conversion webhooks. */
  readonly dialer: Dialer
  readonly server: Pick<Server, 'holdUnknownPaths'>
  readonly log: Log
  /** Number of API servers of the cluster. */
  readonly serverCount: number
}

/** Time in milliseconds before a definition is established if there are several servers, as in kube-apiserver. All of them serve it by then. */
const establishDelayMs = 5000

const definitionsResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }

/** The custom resources of a server, and the controllers of their definitions. */
export class CustomResources implements AsyncDisposable {
  readonly #dependencies: CustomResourcesParts
  readonly #host: CustomResourceHost
  /** Answers 404 to unknown paths from now on. Before that, the path may be one of a stored definition. */
  readonly #releasePaths: () => void
  #controllers: DefinitionControllers | undefined

  constructor(dependencies: CustomResourcesParts) {
    const { client, config, dialer, host, server, log } = dependencies
    this.#dependencies = dependencies
    this.#releasePaths = client.resource(definitionsResource) === undefined ? () => {} : server.holdUnknownPaths()
    this.#host = createCustomResourceHost({
      host,
      restOptions: config.restOptionsGetter,
      dialer,
      conversionMetrics: createConversionMetrics(config.metrics),
      metrics: config.metrics,
      now: () => config.clock.now(),
      onError: (definition, error) => log(0, 'Custom resource cannot be served', { definition, err: describeError(error) }),
    })
  }

  /** Starts the controllers of definitions. */
  start(metrics: WorkQueueMetrics): void {
    const { client, config, log, serverCount } = this.#dependencies
    this.#controllers = startDefinitionControllers({
      client,
      resources: this.#host,
      metrics,
      clock: config.clock,
      ...(serverCount > 1 && { establishDelayMs }),
      onError: (controller, error) => log(0, 'Controller failed', { controller, err: describeError(error) }),
    })
  }

  /** Resolves when all definitions that existed at the start are served. */
  async waitUntilServed(): Promise<void> {
    await this.#controllers?.synced
    this.#releasePaths()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#controllers?.[Symbol.asyncDispose]()
    await this.#host[Symbol.asyncDispose]()
  }
}
