import { formatTime, parseTime } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, ObjectMeta, RequestContext } from '@keelson/apimachinery'
import { isStoredObject, readSmallMetadata } from '@keelson/storagebackend'
import type { StoredObject } from '@keelson/storagebackend'
import { getTtlOption } from './commit.ts'
import { readWritten, writeTarget } from './write-target.ts'
import type { Written } from './write-target.ts'
import { admitDelete } from './admission.ts'
import type { AdmissionTurn } from './admission.ts'
import { beginDeletion } from './delete-in-steps.ts'
import { getPreconditions, prepareDelete, listDeletionFinalizers } from './prepare-delete.ts'
import type { Deletion } from './prepare-delete.ts'
import type { DeleteRequest } from '../rest.ts'
import { qualifyResource } from '../store-dependencies.ts'
import type { StoreDependencies } from '../store-dependencies.ts'
import { isNotFoundInStorage, translateError } from '../translate-error.ts'

/** The result of a delete. Its members are explained in `DeleteResult`. */
export interface DeleteOutcome<T extends KubeObject> {
  readonly object: Written<T>
  readonly immediate: boolean
  readonly blank?: boolean
}

/** The next step of a delete, after an attempt to mark the object. */
type Marked<T extends KubeObject> =
  | { readonly next: 'wait'; readonly object: Written<T> }
  | { readonly next: 'remove'; readonly object?: Written<T>; readonly mayBeGone: boolean; readonly isUnmarked?: boolean }

/**
 * Deletes one object. The object is removed at once, or marked and kept until its grace period or finalizers end. A kind with a `deletion`
 * policy is deleted in two steps.
 */
export async function deleteObject<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  name: string,
  request: DeleteRequest & { readonly turn?: AdmissionTurn },
): Promise<DeleteOutcome<T>> {
  const { deletion } = dependencies.definition
  const key = dependencies.keys.createKey(context, name)
  const run: Deletion<T> = { dependencies, context, name, key, options: { ...request.options }, request }
  const stored = await read(run)
  if (deletion !== undefined && !(request.turn !== undefined && deletion.skipsCollections)) {
    const waiting = await beginDeletion(run, stored, deletion)
    if (waiting !== undefined) return { object: waiting, immediate: false }
  }
  // Decoding the whole object may take long, and only kinds with graceful deletion need it.
  const isGraceful = dependencies.definition.strategy.checkGracefulDelete !== undefined
  const object = isGraceful ? stored.copy() : ({ metadata: readSmallMetadata(stored) } as T)
  const mode = prepareDelete(dependencies, context, object, run.options)
  if (mode === 'pending') return { object: stored, immediate: false }
  const hasFinalizers = (object.metadata.finalizers ?? []).length > 0
  if (mode === 'now' && !hasFinalizers && !listDeletionFinalizers(dependencies, object.metadata, run.options).changed) {
    return remove(run, { next: 'remove', mayBeGone: false })
  }
  const marked = await mark(run, stored)
  return marked.next === 'wait' ? { object: marked.object, immediate: false } : remove(run, marked)
}

async function read<T extends KubeObject>({ dependencies, context, name, key }: Deletion<T>): Promise<StoredObject<T>> {
  try {
    return await dependencies.storage.get(key, { signal: context.signal, span: context.span })
  } catch (error) {
    throw translateError('delete', error, qualifyResource(dependencies, context), name)
  }
}

/**
 * The outcome of an attempt to mark an object. `waiting`: the object is marked, and finalizers or a grace period keep it. `removable`: the
 * object is marked and can be removed now. `unmarked`: the object is not marked and can be removed now. `pending`: an earlier request has
 * started the deletion.
 */
type MarkOutcome = 'waiting' | 'removable' | 'unmarked' | 'pending'

/** Sets deletionTimestamp, grace period and finalizers of an object that cannot be removed at once, and stores the object. */
async function mark<T extends KubeObject>(run: Deletion<T>, stored: StoredObject<T>): Promise<Marked<T>> {
  const { dependencies, context, name, key, options, request } = run
  let outcome = 'pending' as MarkOutcome
  try {
    const object = await writeTarget(dependencies, context, request.dryRun).guaranteedUpdate(
      key,
      async (current, latest) => {
        if (current === undefined || latest === undefined) throw new Error('cannot delete an absent object')
        await admitDelete(run, latest.object() as KubeObject)
        outcome = markObject(run, current)
        return outcome === 'waiting' || outcome === 'removable' ? { object: current, ...getTtlOption(dependencies) } : undefined
      },
      { ...getPreconditions(options), suggestion: stored, signal: context.signal, span: context.span },
    )
    if (outcome === 'pending') return { next: 'wait', object: stored }
    if (outcome === 'unmarked') return { next: 'remove', mayBeGone: false, isUnmarked: true }
    return outcome === 'waiting' ? { next: 'wait', object } : { next: 'remove', object, mayBeGone: true }
  } catch (error) {
    throw translateError('update', error, qualifyResource(dependencies, context), name)
  }
}

function markObject<T extends KubeObject>({ dependencies, context, options }: Deletion<T>, object: T): MarkOutcome {
  const mode = prepareDelete(dependencies, context, object, options)
  if (mode === 'pending') return 'pending'
  const { changed, finalizers } = listDeletionFinalizers(dependencies, object.metadata, options)
  if (changed) object.metadata.finalizers = [...finalizers]
  const hasFinalizers = (object.metadata.finalizers ?? []).length > 0
  if (mode === 'now') {
    if (!hasFinalizers) return 'unmarked'
    markAsDeleting(object.metadata, dependencies.now())
  }
  return hasFinalizers || (mode === 'graceful' && (options.gracePeriodSeconds ?? 0) > 0) ? 'waiting' : 'removable'
}

async function remove<T extends KubeObject>(run: Deletion<T>, marked: Extract<Marked<T>, { next: 'remove' }>): Promise<DeleteOutcome<T>> {
  const { dependencies, context, name, key, options, request } = run
  if (request.dryRun && marked.object !== undefined) return { object: marked.object, immediate: true }
  try {
    const object = await writeTarget(dependencies, context, request.dryRun).delete(key, {
      ...getPreconditions(options, marked.object),
      ...(request.route === undefined ? undefined : { validate: (object: DeepReadonly<T>) => admitDelete(run, object as KubeObject) }),
      // The cache may not have the marked object yet. Admission would then be asked about an outdated object first.
      ...(marked.object !== undefined && isStoredObject(marked.object) && { suggestion: marked.object }),
      signal: context.signal,
      span: context.span,
    })
    if (!request.dryRun) await dependencies.hooks.afterDelete?.(readWritten(object))
    return { object, immediate: true, ...(request.dryRun && marked.isUnmarked && { blank: true }) }
  } catch (error) {
    // Another client, for example the kubelet, may have removed the marked object already. The delete has then succeeded.
    if (marked.mayBeGone && marked.object !== undefined && isNotFoundInStorage(error)) return { object: marked.object, immediate: true }
    throw translateError('delete', error, qualifyResource(dependencies, context), name)
  }
}

/** Sets the deletionTimestamp of an object with finalizers, if its kind has no graceful deletion. */
function markAsDeleting(metadata: ObjectMeta, now: number): void {
  if (metadata.deletionTimestamp === undefined && (metadata.generation ?? 0) > 0) metadata.generation = metadata.generation! + 1
  if (metadata.deletionTimestamp === undefined || parseTime(metadata.deletionTimestamp) > now) metadata.deletionTimestamp = formatTime(now)
  metadata.deletionGracePeriodSeconds = 0
}
