import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { aggregateMessages, getErrorMessage, equalsSemantically } from '@keelson/apimachinery'
import type { Clock, DeepReadonly } from '@keelson/apimachinery'
import type { WorkQueue } from '@keelson/loopback'
import { isConditionTrue, setCondition } from '../definitions/conditions.ts'
import type { ConditionState } from '../definitions/conditions.ts'
import { cleanupFinalizer } from '../definitions/strategy.ts'
import { createDefinitionQueue, updateStatus } from './controller.ts'
import type { DefinitionContext } from './controller.ts'
import type { CustomResources, Instances } from './custom-resources.ts'
import type { DefinitionChange } from './definition-index.ts'

/** Definitions whose instances would have the storage keys of these built-in resources. Their deletion deletes no objects. */
const overlapping = new Set(['apiservices.apiregistration.k8s.io', 'customresourcedefinitions.apiextensions.k8s.io'])
/** Time in milliseconds for instances with finalizers to disappear, before the condition reports them. The deletion is then repeated. */
const emptyTimeout = 60_000

const inProgress: ConditionState = {
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
}
const builtIn: ConditionState = {
  status: 'False',
  reason: 'OverlappingBuiltInResource',
  message: 'instances overlap with built-in resources in storage',
}
const neverEstablished: ConditionState = { status: 'False', reason: 'NeverEstablished', message: 'resource was never established' }
const completed: ConditionState = { status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' }

/** Failed deletion of instances, with the condition that reports it. */
class DeletionError extends Error {
  readonly state: ConditionState

  constructor(reason: 'InstanceDeletionFailed' | 'InstanceDeletionCheck', message: string, cause?: unknown) {
    super(message, { cause })
    this.state = { status: 'True', reason, message }
  }
}

/**
 * Starts the controller that deletes the instances of deleted definitions and then removes the finalizer. Every step can be repeated, so
 * that an interrupted deletion continues at the next start.
 */
export function startFinalizing(context: DefinitionContext, resources: CustomResources): WorkQueue {
  const { index, clock } = context
  const queue = createDefinitionQueue(context, {
    name: 'crd_finalizer',
    async sync(name, signal) {
      const followed = index.get(name)
      if (followed === undefined || !isAwaitingCleanup(followed.outline)) return
      const { uid } = followed.outline.metadata
      /** Writes a condition, unless another definition with the same name has replaced this one. */
      const report = (state: ConditionState, change?: (definition: CustomResourceDefinition) => void): Promise<boolean> =>
        updateStatus(context, name, (definition) => {
          if (definition.metadata.uid !== uid || !isAwaitingCleanup(definition)) return
          setCondition(definition, 'Terminating', state, clock.now())
          change?.(definition)
        })
      await report(inProgress)
      try {
        const state = await cleanUp(followed.outline, { resources, clock, signal })
        if (!signal.aborted) await report(state, removeFinalizer)
      } catch (error) {
        if (error instanceof DeletionError && !signal.aborted) await report(error.state)
        throw error
      }
    },
  })
  index.subscribe((change) => {
    if (change.definition !== undefined && isAwaitingCleanup(change.definition.outline) && !isOwnReport(change)) queue.add(change.name)
  })
  return queue
}

function isAwaitingCleanup({ metadata }: DeepReadonly<CustomResourceDefinition>): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(cleanupFinalizer)
}

function removeFinalizer({ metadata }: CustomResourceDefinition): void {
  metadata.finalizers = (metadata.finalizers ?? []).filter((name) => name !== cleanupFinalizer)
}

/** Returns whether a change of a terminating definition affects only the condition that this controller writes. */
function isOwnReport({ definition, old }: DefinitionChange): boolean {
  return definition !== undefined && old !== undefined && equalsSemantically(withoutReport(definition.outline), withoutReport(old.outline))
}

function withoutReport({ metadata, status, ...rest }: DeepReadonly<CustomResourceDefinition>): object {
  const conditions = (status?.conditions ?? []).filter(({ type }) => type !== 'Terminating')
  return { ...rest, metadata: { ...metadata, resourceVersion: '' }, status: { ...status, conditions } }
}

interface CleanUpContext {
  readonly resources: CustomResources
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Deletes the instances of a definition and waits until they are gone. Returns the condition of success. Throws `DeletionError`. */
async function cleanUp(
  definition: DeepReadonly<CustomResourceDefinition>,
  { resources, clock, signal }: CleanUpContext,
): Promise<ConditionState> {
  const { name = '' } = definition.metadata
  if (overlapping.has(name)) return builtIn
  const isEstablished = isConditionTrue(definition, 'Established')
  // A definition is served as soon as its names are accepted, so objects may exist before it is established.
  if (!isEstablished && !isConditionTrue(definition, 'NamesAccepted')) return neverEstablished
  const instances = resources.instances(name)
  if (instances === undefined) {
    const problem = `unable to find a custom resource client for ${name}: the definition is not served`
    throw new DeletionError('InstanceDeletionFailed', `could not list instances: ${problem}`)
  }
  await deleteAll(instances)
  await waitUntilEmpty(instances, clock, signal)
  return isEstablished ? completed : neverEstablished
}

async function deleteAll(instances: Instances): Promise<void> {
  const namespaces = await instances.namespaces().catch((error: unknown) => {
    throw new DeletionError('InstanceDeletionFailed', `could not list instances: ${getErrorMessage(error)}`, error)
  })
  const errors: unknown[] = []
  for (const namespace of namespaces) {
    try {
      await instances.deleteAll(namespace)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length === 0) return
  const problems = aggregateMessages(errors.map(getErrorMessage))
  throw new DeletionError('InstanceDeletionFailed', `could not issue all deletes: ${problems}`, new AggregateError(errors))
}

async function waitUntilEmpty(instances: Instances, clock: Clock, stopping: AbortSignal): Promise<void> {
  const timeout = new AbortController()
  const cancel = clock.after(emptyTimeout, () => timeout.abort())
  const createDeletionError = (problem: string, cause?: unknown): DeletionError =>
    new DeletionError('InstanceDeletionCheck', `could not confirm zero CustomResources remaining: ${problem}`, cause)
  try {
    await instances.waitUntilEmpty(AbortSignal.any([timeout.signal, stopping]))
  } catch (error) {
    throw createDeletionError(getErrorMessage(error), error)
  } finally {
    cancel()
  }
  if (timeout.signal.aborted) throw createDeletionError('context deadline exceeded')
}
