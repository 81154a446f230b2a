import { formatTime, newConflict, newInternal, newInvalid, parseTime, validateDeleteOptions } from '@keelson/apimachinery'
import type { DeepReadonly, DeleteOptions, KubeObject, RequestContext, ObjectMeta } from '@keelson/apimachinery'
import { isStoredObject } from '@keelson/storagebackend'
import type { ObjectPreconditions } from '@keelson/storagebackend'
import type { StoreDependencies } from '../store-dependencies.ts'
import type { DeleteRequest } from '../rest.ts'
import type { Written } from './write-target.ts'

/**
 * The next step of a deletion. `now`: remove the object. `graceful`: store the marked object, which is removed after its grace period.
 * `pending`: an earlier request started the deletion, and nothing changes.
 */
type DeletionMode = 'now' | 'graceful' | 'pending'

/**
 * Checks the options and preconditions of a delete, and marks `object` if it has a grace period. Changes `object` and `options` in place,
 * so both must be copies.
 */
export function prepareDelete<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  object: T,
  options: DeleteOptions,
): DeletionMode {
  const errors = validateDeleteOptions(options)
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
  checkDeletePreconditions(dependencies, object, options)
  if ((options.gracePeriodSeconds ?? 0) < 0) options.gracePeriodSeconds = 1
  const { metadata } = object
  if ((metadata.deletionGracePeriodSeconds ?? 0) < 0) metadata.deletionGracePeriodSeconds = 1
  const { strategy } = dependencies.definition
  if (strategy.checkGracefulDelete === undefined) return 'now'
  if (metadata.deletionTimestamp !== undefined) return shortenGracePeriod(dependencies, object, options)
  if (!strategy.checkGracefulDelete(context, object as DeepReadonly<T>, options)) return 'now'
  if (options.gracePeriodSeconds === undefined) throw newInternal('options.GracePeriodSeconds should not be nil')
  metadata.deletionTimestamp = formatTime(dependencies.now() + options.gracePeriodSeconds * 1000)
  metadata.deletionGracePeriodSeconds = options.gracePeriodSeconds
  if ((metadata.generation ?? 0) > 0) metadata.generation = metadata.generation! + 1
  return 'graceful'
}

/** Shortens the grace period of an object that is being deleted. A longer grace period in the request is ignored. */
function shortenGracePeriod<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  { metadata }: T,
  options: DeleteOptions,
): DeletionMode {
  const current = metadata.deletionGracePeriodSeconds ?? 0
  // The object is marked with no grace period left, but still exists because its removal failed. Remove it now.
  if (current === 0) return 'now'
  const requested = options.gracePeriodSeconds
  if (requested === undefined) {
    options.gracePeriodSeconds = current
    return 'pending'
  }
  if (requested >= current) return 'pending'
  const now = dependencies.now()
  const newDeadline = parseTime(metadata.deletionTimestamp!) + (requested - current) * 1000
  const passed = newDeadline < now
  metadata.deletionTimestamp = formatTime(passed ? now : newDeadline)
  // The new deadline has passed, but the kubelet still needs time to remove the object. A request with a grace period of 0 grants none.
  metadata.deletionGracePeriodSeconds = passed && requested !== 0 ? 1 : requested
  return 'graceful'
}

function checkDeletePreconditions<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  { metadata }: T,
  { preconditions }: DeleteOptions,
): void {
  const subject = { group: dependencies.gvk.group, resource: dependencies.gvk.kind }
  const name = metadata.name ?? ''
  if (preconditions?.uid !== undefined && preconditions.uid !== metadata.uid) {
    throw newConflict(
      subject,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${metadata.uid ?? ''}). The object might have been deleted and then recreated`,
    )
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== metadata.resourceVersion) {
    throw newConflict(
      subject,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ''}). The object might have been modified`,
    )
  }
}

/** The finalizer that keeps an object until its dependents are orphaned. */
export const orphanFinalizer = 'orphan'
/** The finalizer that keeps an object until its dependents are deleted. */
export const foregroundFinalizer = 'foregroundDeletion'

interface FinalizerChange {
  readonly changed: boolean
  readonly finalizers: readonly string[]
}

/**
 * Returns the finalizers of an object after a delete request with these options. The garbage collector later removes the finalizers that
 * are added here.
 */
export function listDeletionFinalizers<T extends KubeObject>(
  dependencies: Pick<StoreDependencies<T>, 'definition' | 'enableGarbageCollection'>,
  metadata: DeepReadonly<ObjectMeta>,
  options: DeleteOptions,
): FinalizerChange {
  const current = metadata.finalizers ?? []
  if (!dependencies.enableGarbageCollection) return { changed: false, finalizers: current }
  const policy = decidePropagationPolicy(dependencies, current, options)
  const finalizers = current.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer)
  if (policy === 'orphan') finalizers.push(orphanFinalizer)
  if (policy === 'foreground') finalizers.push(foregroundFinalizer)
  const [before, after] = [new Set(current), new Set(finalizers)]
  const isSame = before.size === after.size && finalizers.every((name) => before.has(name))
  return isSame ? { changed: false, finalizers: current } : { changed: true, finalizers }
}

/**
 * Returns the propagation policy of a delete. The policy in the options comes first, then the policy of existing finalizers, then the
 * default of the kind.
 */
function decidePropagationPolicy<T extends KubeObject>(
  { definition }: Pick<StoreDependencies<T>, 'definition'>,
  current: readonly string[],
  options: DeleteOptions,
): 'orphan' | 'foreground' | 'background' {
  const defaultPolicy = definition.strategy.defaultPropagation ?? 'background'
  if (defaultPolicy === 'unsupported') return 'background'
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'orphan' : 'background'
  if (options.propagationPolicy === 'Orphan') return 'orphan'
  if (options.propagationPolicy === 'Foreground') return 'foreground'
  if (options.propagationPolicy === 'Background') return 'background'
  const existing = current.find((name) => name === orphanFinalizer || name === foregroundFinalizer)
  if (existing !== undefined) return existing === orphanFinalizer ? 'orphan' : 'foreground'
  return defaultPolicy
}

/** One DELETE request. `options` is a copy, because a strategy may set the grace period. */
export interface Deletion<T extends KubeObject> {
  readonly dependencies: StoreDependencies<T>
  readonly context: RequestContext
  readonly name: string
  readonly key: string
  readonly options: DeleteOptions
  readonly request: DeleteRequest
}

/**
 * Returns the preconditions of the next storage operation of a delete. Marking changes the resourceVersion, so a resourceVersion in the
 * options is replaced with that of `marked`.
 */
export function getPreconditions<T extends KubeObject>(
  { preconditions }: DeleteOptions,
  marked?: Written<T>,
): { preconditions: ObjectPreconditions } | undefined {
  if (preconditions === undefined) return undefined
  if (preconditions.resourceVersion === undefined || marked === undefined) return { preconditions }
  const resourceVersion = isStoredObject(marked) ? String(marked.revision) : (marked.metadata.resourceVersion ?? '')
  return { preconditions: { ...preconditions, resourceVersion } }
}
