import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { isApiError } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { WorkQueue } from '@keelson/loopback'
import type { LoopbackResource, WorkQueueMetrics } from '@keelson/loopback'
import type { DefinitionIndex } from './definition-index.ts'

/** Dependencies of the controllers of definitions. */
export interface DefinitionContext {
  readonly resource: LoopbackResource<CustomResourceDefinition>
  readonly index: DefinitionIndex
  readonly clock: Clock
  /** Metrics of the controllers' work queues. */
  readonly metrics: WorkQueueMetrics
  readonly onError: (controller: string, error: unknown) => void
}

/** Number of definitions that a controller processes at the same time. Their writes share a flush of the store. */
const workers = 10

export interface QueueOptions {
  /** Name of the queue in metrics and errors. */
  readonly name: string
  readonly sync: (name: string, signal: AbortSignal) => Promise<void>
}

/** Creates a queue of names of definitions. It starts to process them when the index is complete. */
export function createDefinitionQueue(context: DefinitionContext, { name, sync }: QueueOptions): WorkQueue {
  return new WorkQueue({
    name,
    workers,
    clock: context.clock,
    metrics: context.metrics,
    process: async (key, signal) => {
      if (await context.index.synced) await sync(key, signal)
    },
    longestRetry: 1_000_000,
    onError: (_key, error) => context.onError(name, error),
  })
}

/**
 * Changes the status of a definition. Nothing is written if `change` changes nothing. Resolves to false if the definition does not exist.
 */
export async function updateStatus(
  { resource }: DefinitionContext,
  name: string,
  change: (definition: CustomResourceDefinition) => void,
): Promise<boolean> {
  try {
    await resource.update(
      '',
      name,
      (definition) => {
        change(definition)
        return definition
      },
      { subresource: 'status' },
    )
    return true
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false
    throw error
  }
}
