import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { LoopbackClient, WorkQueueMetrics } from '@keelson/loopback'
import { startApproval, startNonStructural } from './computed-conditions.ts'
import { isConditionTrue } from '../definitions/conditions.ts'
import type { CustomResources } from './custom-resources.ts'
import { DefinitionIndex } from './definition-index.ts'
import type { DefinitionChange } from './definition-index.ts'
import { startEstablishing } from './establishing.ts'
import { startFinalizing } from './finalizing.ts'
import { startNaming } from './naming.ts'

export interface DefinitionControllersOptions {
  readonly client: LoopbackClient
  /** Serves the custom resources. */
  readonly resources: CustomResources
  readonly metrics: WorkQueueMetrics
  readonly clock?: Clock
  /** Time in milliseconds between accepted names and Established, if several servers share the store. Default: 0. */
  readonly establishDelayMs?: number
  /** Called for each failure of a controller. Failed steps are always retried. */
  readonly onError?: (controller: string, error: unknown) => void
}

/** Running controllers of definitions. Disposing them waits until their current writes are complete. */
export interface DefinitionControllers extends AsyncDisposable {
  /** Resolves when every definition that existed at the start is served. Resolves to false if the controllers are disposed before. */
  readonly synced: Promise<boolean>
}

/**
 * Starts the controllers of definitions. One watch drives all of them: a change is first served, and then each controller writes its
 * condition. Returns undefined if the server does not serve customresourcedefinitions.
 */
export function startDefinitionControllers(options: DefinitionControllersOptions): DefinitionControllers | undefined {
  const { client, resources, metrics, clock = systemClock, establishDelayMs: delayMs = 0, onError = () => {} } = options
  const resource = client.resource<CustomResourceDefinition>({ group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' })
  if (resource === undefined) return undefined
  const index = new DefinitionIndex({ clock, onError: (error) => onError('definition-index', error) })
  index.subscribe((change) => serve(resources, change))
  const context = { resource, index, clock, metrics, onError }
  const queues = [
    startNaming(context),
    startEstablishing(context, { delayMs }),
    startNonStructural(context),
    startApproval(context),
    startFinalizing(context, resources),
  ]
  index.follow(resource)
  return {
    synced: index.synced,
    async [Symbol.asyncDispose]() {
      await index[Symbol.asyncDispose]()
      await Promise.all(queues.map((queue) => queue[Symbol.asyncDispose]()))
    },
  }
}

/** Serves a definition whose names are accepted. An established definition that requests other names is served under its accepted names. */
function serve(resources: CustomResources, { name, definition }: DefinitionChange): void {
  const isServed = (['NamesAccepted', 'Established'] as const).some((type) => definition && isConditionTrue(definition.outline, type))
  if (definition !== undefined && isServed) resources.install(definition)
  else resources.remove(name)
}
