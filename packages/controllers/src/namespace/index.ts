import { isApiError, getErrorMessage, parseTime } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { RetryAfter, WorkQueue } from '@keelson/loopback'
import type { LoopbackResource } from '@keelson/loopback'
import { disposeAll } from '../controller.ts'
import type { ControllerContext, Namespace } from '../controller.ts'
import { computeDeletionConditions, describeFailures } from './conditions.ts'
import { deleteContent } from './delete-content.ts'
import type { Remaining } from './delete-content.ts'

/** Finalizer that keeps a namespace until this controller has deleted its content. */
const finalizer = 'kubernetes'

/**
 * Starts the namespace controller. It deletes terminating namespaces in repeatable steps: phase, content, conditions, finalizer. An
 * interrupted deletion is resumed at the next start.
 */
export function startNamespaceController(context: ControllerContext): AsyncDisposable | undefined {
  const resource = context.client.resource<Namespace>({ group: '', resource: 'namespaces' })
  if (resource === undefined) return undefined
  const queue = new WorkQueue({
    name: 'namespace',
    metrics: context.metrics,
    process: (name) => finishDeletion(context, resource, name),
    clock: context.clock,
    workers: 4,
    firstRetry: 500,
    longestRetry: 60_000,
    onError: (_name, error) => context.onError('namespace-controller', error),
  })
  const unsubscribe = context.namespaces.subscribe(({ type, object }) => {
    if (type !== 'deleted' && object.metadata.deletionTimestamp !== undefined) queue.add(object.metadata.name ?? '')
  })
  return disposeAll(queue, unsubscribe)
}

async function finishDeletion(context: ControllerContext, resource: LoopbackResource<Namespace>, name: string): Promise<void> {
  try {
    const current = await resource.get('', name, { resourceVersion: '' })
    if (current?.metadata.deletionTimestamp === undefined) return
    const { uid = '', deletionTimestamp } = current.metadata
    if (current.status?.phase !== 'Terminating') await writeStatus(resource, current, { phase: 'Terminating' })
    if ((current.spec?.finalizers ?? []).includes(finalizer)) {
      const remaining = await deleteContent(context, name, parseTime(deletionTimestamp))
      await report(context, resource, current, remaining)
      const { failures } = remaining
      const errors = failures.size === 0 ? remaining.errors : [new Error(describeFailures(failures)), ...remaining.errors]
      if (errors.length > 0) throw createFailure(name, errors)
      if (remaining.estimate > 0) {
        const seconds = Math.trunc(remaining.estimate / 2) + 1
        throw new RetryAfter(
          seconds * 1000,
          `some content remains in the namespace, estimate ${remaining.estimate} seconds before it is removed`,
        )
      }
      await resource.update('', name, (namespace) => withoutFinalizer(namespace, uid), { subresource: 'finalize' })
    } else if ((current.spec?.finalizers ?? []).length === 0 && (current.metadata.finalizers ?? []).length === 0) {
      // Deletes a namespace without finalizers: the server stopped between removing the finalizer and deleting the namespace.
      await resource.delete('', name, { preconditions: { uid } })
    }
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error
  }
}

function createFailure(name: string, errors: readonly unknown[]): AggregateError {
  const reasons = errors.map(getErrorMessage)
  return new AggregateError(errors, `namespace ${name} could not be emptied: ${reasons.join('; ')}`)
}

function withoutFinalizer(namespace: Namespace, uid: string): Namespace {
  checkUid(namespace, uid)
  const finalizers = (namespace.spec?.finalizers ?? []).filter((name) => name !== finalizer).toSorted()
  return { ...namespace, spec: { ...namespace.spec, finalizers } }
}

async function report(
  { clock }: ControllerContext,
  resource: LoopbackResource<Namespace>,
  found: DeepReadonly<Namespace>,
  remaining: Remaining,
): Promise<void> {
  const conditions = computeDeletionConditions(found.status?.conditions ?? [], remaining, clock.now())
  if (conditions !== undefined) await writeStatus(resource, found, { phase: 'Terminating', conditions })
}

async function writeStatus(
  resource: LoopbackResource<Namespace>,
  { metadata }: DeepReadonly<Namespace>,
  status: NonNullable<Namespace['status']>,
): Promise<void> {
  const { name = '', uid = '' } = metadata
  try {
    await resource.update(
      '',
      name,
      (namespace) => {
        checkUid(namespace, uid)
        return { ...namespace, status: { ...namespace.status, ...status } }
      },
      { subresource: 'status' },
    )
  } catch (error) {
    // Continues if namespaces/status is not served, so that the namespace is still emptied.
    if (!isApiError(error, 'MethodNotAllowed')) throw error
  }
}

/** Throws if a new namespace with the same name has replaced this one. */
function checkUid({ metadata }: Namespace, uid: string): void {
  if (metadata.uid !== uid) throw new Error(`namespace ${metadata.name ?? ''} was deleted and recreated`)
}
