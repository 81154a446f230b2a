import { createCustomResourceHost, findStructuralProblems, startDefinitionControllers } from '@keelson/apiextensions'
import type { CustomResourceHost, DefinitionControllers, DefinitionControllersOptions } from '@keelson/apiextensions'
import type { GroupHost } from '@keelson/http-installer'
import type { LoopbackClient, WorkQueueMetrics } from '@keelson/loopback'
import { describeError } from '@keelson/server'
import type { Log } from '@keelson/server'
import type { GenericConfig } from './build-generic-config.ts'
import type { GroupServices } from './group-services.ts'

interface CustomResourcesParts {
  readonly config: GenericConfig
  readonly host: GroupHost<GroupServices>
  readonly client: LoopbackClient
  readonly log: Log
}

/** The custom resources of a server, and the controllers of their definitions. */
export class CustomResources implements AsyncDisposable {
  readonly #parts: CustomResourcesParts
  readonly #host: CustomResourceHost
  #controllers: DefinitionControllers | undefined

  constructor(parts: CustomResourcesParts) {
    const { config, host, log } = parts
    this.#parts = parts
    this.#host = createCustomResourceHost({
      host,
      restOptions: config.restOptionsGetter,
      now: () => config.clock.now(),
      onError: (definition, error) => log(0, 'Custom resource cannot be served', { definition, err: describeError(error) }),
    })
  }

  /** Starts the controllers of definitions. Resolves when all existing definitions are served. */
  async start(metrics: WorkQueueMetrics): Promise<void> {
    const { client, config, log } = this.#parts
    const options: DefinitionControllersOptions = {
      client,
      resources: this.#host,
      metrics,
      clock: config.clock,
      findStructuralProblems,
      onError: (controller, error) => log(0, 'Controller failed', { controller, err: describeError(error) }),
    }
    this.#controllers = startDefinitionControllers(options)
    await this.#controllers?.synced
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#controllers?.[Symbol.asyncDispose]()
    await this.#host[Symbol.asyncDispose]()
  }
}
