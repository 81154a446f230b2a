import { ConfigController, FlowControl, startKeepingObjects, staleStats } from '@keelson/flowcontrol'
import type { FindObjectStats } from '@keelson/flowcontrol'
import type { LoopbackClient, SharedInformers, WorkQueueMetrics } from '@keelson/loopback'
import type { ApiGroup } from '@keelson/registry'
import { describeError } from '@keelson/server'
import type { StorageMetrics } from '@keelson/storagebackend'
import type { LoggedOptions } from './chain.ts'
import type { GenericConfig } from './build-generic-config.ts'
import type { GroupServices } from './group-services.ts'
import { requestDefaults } from './options/requests.ts'

/** The API group of the objects that configure priority and fairness. */
const flowControlGroup = 'flowcontrol.apiserver.k8s.io'
/** Age after which the number of objects of a resource is not used any more. Objects are counted every minute. */
const staleAfterMs = 3 * 60_000

/**
 * Builds priority and fairness. Returns undefined if it is disabled, or if the server does not serve the objects that configure it. The server
 * then limits the number of requests only.
 */
export function buildFlowControl(
  options: LoggedOptions,
  config: Pick<GenericConfig, 'metrics' | 'storageMetrics'>,
  groups: readonly ApiGroup<GroupServices>[],
): FlowControl | undefined {
  const { priorityAndFairness, maxReadOnlyInFlight, maxMutatingInFlight } = { ...requestDefaults, ...options.requests }
  if (!priorityAndFairness || !groups.some(({ name }) => name === flowControlGroup)) return undefined
  return new FlowControl({
    serverSeats: maxReadOnlyInFlight + maxMutatingInFlight,
    metrics: config.metrics,
    findStats: createStatsFinder(config.storageMetrics),
    onProblem: (message) => options.log(0, 'Priority and fairness', { err: message }),
  })
}

/** Lists problems of the options of priority and fairness. */
export function findFlowControlProblems({ requests }: Pick<LoggedOptions, 'requests'>): readonly string[] {
  const { priorityAndFairness, maxReadOnlyInFlight: reads, maxMutatingInFlight: writes } = { ...requestDefaults, ...requests }
  if (!priorityAndFairness || reads + writes > 0) return []
  return [
    `requests.maxReadOnlyInFlight and maxMutatingInFlight are ${reads} and ${writes}: they must add up to more than 0 with priority and fairness`,
  ]
}

function createStatsFinder(storageMetrics: Pick<StorageMetrics, 'findStats'>): FindObjectStats {
  return ({ apiGroup: group, resource }) => {
    const stats = storageMetrics.findStats({ group, resource })
    return stats !== undefined && performance.now() - stats.countedAt > staleAfterMs ? staleStats : stats
  }
}

interface FlowControlParts {
  /** Undefined if priority and fairness is disabled. The built-in objects are kept nevertheless. */
  readonly control: FlowControl | undefined
  readonly config: Pick<GenericConfig, 'clock'>
  readonly client: LoopbackClient
  readonly informers: SharedInformers
  readonly queueMetrics: WorkQueueMetrics
  readonly stopping: AbortSignal
  readonly log: LoggedOptions['log']
}

/** The background work of priority and fairness: it keeps the built-in objects and follows the configuration. */
export class FlowControlWork implements AsyncDisposable {
  readonly #dependencies: FlowControlParts
  readonly #controller: ConfigController | undefined

  constructor(dependencies: FlowControlParts) {
    const { control, config, client, informers, queueMetrics } = dependencies
    this.#dependencies = dependencies
    if (control === undefined) return
    const controller = new ConfigController({
      configuration: control.configuration,
      client,
      informers,
      clock: config.clock,
      metrics: queueMetrics,
      onError: (error) => this.#report('The configuration of priority and fairness was not applied', error),
    })
    control.onUnused = () => controller.refresh()
    this.#controller = controller
  }

  get isEnabled(): boolean {
    return this.#controller !== undefined
  }

  keepObjects(): Promise<void> {
    const { client, config, stopping: signal } = this.#dependencies
    const onError = (error: unknown): void => this.#report('The built-in objects of priority and fairness were not checked', error)
    return startKeepingObjects({ client, clock: config.clock, signal, onError })
  }

  async followConfiguration(): Promise<void> {
    await this.#controller?.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#controller?.[Symbol.asyncDispose]()
  }

  #report(message: string, error: unknown): void {
    this.#dependencies.log(0, message, { err: describeError(error) })
  }
}
