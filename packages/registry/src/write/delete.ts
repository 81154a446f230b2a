import { formatTime, parseTime } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, ObjectMeta, RequestContext } from '@keelson/apimachinery'
import type { StoredObject } from '@keelson/storagebackend'
import { timeToLive } from './commit.ts'
import { admitDelete } from './attributes.ts'
import { beginDeletion } from './delete-in-steps.ts'
import { preconditionsOf } from './deletion.ts'
import type { Deletion } from './deletion.ts'
import { beforeDelete } from './prepare-delete.ts'
import { finalizersForDeletion } from './propagation.ts'
import type { DeleteRequest } from '../rest.ts'
import { qualifiedResource } from '../store-parts.ts'
import type { StoreParts } from '../store-parts.ts'
import { isNotFoundInStorage, translateError } from '../translate-error.ts'
import { readWritten, writeTarget } from './target.ts'
import type { Written } from './target.ts'

export interface DeleteOutcome<T extends KubeObject> {
  readonly object: Written<T>
  readonly immediate: boolean
  readonly blank?: boolean
}

/** The next step after marking an object. */
type Marked<T extends KubeObject> =
  | { readonly next: 'wait'; readonly object: Written<T> }
  | { readonly next: 'remove'; readonly object?: Written<T>; readonly mayBeGone: boolean; readonly unheld?: boolean }

/** Deletes one object: at once, or marks it first, or in steps if its kind says so. */
export async function deleteObject<T extends KubeObject>(
  parts: StoreParts<T>,
  context: RequestContext,
  name: string,
  request: DeleteRequest,
): Promise<DeleteOutcome<T>> {
  const key = parts.keys.key(context, name)
  const run: Deletion<T> = { parts, context, name, key, options: { ...request.options }, request }
  const stored = await read(run)
  if (parts.definition.deletion !== undefined) {
    const held = await beginDeletion(run, stored, parts.definition.deletion)
    if (held !== undefined) return { object: held, immediate: false }
  }
  const object = stored.copy()
  const mode = beforeDelete(parts, context, object, run.options)
  if (mode === 'pending') return { object: stored, immediate: false }
  const hasFinalizers = (object.metadata.finalizers ?? []).length > 0
  if (mode === 'now' && !hasFinalizers && !finalizersForDeletion(parts, object.metadata, run.options).changed) {
    return remove(run, { next: 'remove', mayBeGone: false })
  }
  const marked = await mark(run, stored)
  return marked.next === 'wait' ? { object: marked.object, immediate: false } : remove(run, marked)
}

async function read<T extends KubeObject>({ parts, context, name, key }: Deletion<T>): Promise<StoredObject<T>> {
  try {
    return await parts.storage.get(key, { signal: context.signal })
  } catch (error) {
    throw translateError('delete', error, qualifiedResource(parts, context), name)
  }
}

/** The outcome of one attempt to mark an object: it stays or goes once marked, is removed as it is, or stays as it is. */
type Marking = 'held' | 'released' | 'unheld' | 'pending'

/** Writes deletionTimestamp, grace period and finalizers if something holds the object. */
async function mark<T extends KubeObject>(run: Deletion<T>, stored: StoredObject<T>): Promise<Marked<T>> {
  const { parts, context, name, key, options, request } = run
  let marking = 'pending' as Marking
  try {
    const object = await writeTarget(parts, request.dryRun).guaranteedUpdate(
      key,
      async (current, latest) => {
        if (current === undefined || latest === undefined) throw new Error('an absent object reached a deletion')
        await admitDelete(run, latest.object() as KubeObject)
        marking = markObject(run, current)
        return marking === 'held' || marking === 'released' ? { object: current, ...timeToLive(parts) } : undefined
      },
      { ...preconditionsOf(options), signal: context.signal },
    )
    if (marking === 'pending') return { next: 'wait', object: stored }
    if (marking === 'unheld') return { next: 'remove', mayBeGone: false, unheld: true }
    return marking === 'held' ? { next: 'wait', object } : { next: 'remove', object, mayBeGone: true }
  } catch (error) {
    throw translateError('update', error, qualifiedResource(parts, context), name)
  }
}

function markObject<T extends KubeObject>({ parts, context, options }: Deletion<T>, object: T): Marking {
  const mode = beforeDelete(parts, context, object, options)
  if (mode === 'pending') return 'pending'
  const { changed, finalizers } = finalizersForDeletion(parts, object.metadata, options)
  if (changed) object.metadata.finalizers = [...finalizers]
  const hasFinalizers = (object.metadata.finalizers ?? []).length > 0
  if (mode === 'now') {
    if (!hasFinalizers) return 'unheld'
    markAsDeleting(object.metadata, parts.now())
  }
  return hasFinalizers || (mode === 'graceful' && (options.gracePeriodSeconds ?? 0) > 0) ? 'held' : 'released'
}

async function remove<T extends KubeObject>(run: Deletion<T>, marked: Extract<Marked<T>, { next: 'remove' }>): Promise<DeleteOutcome<T>> {
  const { parts, context, name, key, options, request } = run
  if (request.dryRun && marked.object !== undefined) return { object: marked.object, immediate: true }
  try {
    const object = await writeTarget(parts, request.dryRun).delete(key, {
      ...preconditionsOf(options, marked.object),
      ...(request.route === undefined ? undefined : { validate: (object: DeepReadonly<T>) => admitDelete(run, object as KubeObject) }),
      signal: context.signal,
    })
    if (!request.dryRun) await parts.hooks.afterDelete?.(readWritten(object))
    return { object, immediate: true, ...(request.dryRun && marked.unheld && { blank: true }) }
  } catch (error) {
    // Another client (a kubelet) may have deleted the marked object first.
    if (marked.mayBeGone && marked.object !== undefined && isNotFoundInStorage(error)) return { object: marked.object, immediate: true }
    throw translateError('delete', error, qualifiedResource(parts, context), name)
  }
}

/** Marks an object of a kind without graceful deletion that finalizers hold. */
function markAsDeleting(metadata: ObjectMeta, now: number): void {
  if (metadata.deletionTimestamp === undefined && (metadata.generation ?? 0) > 0) metadata.generation = metadata.generation! + 1
  if (metadata.deletionTimestamp === undefined || parseTime(metadata.deletionTimestamp) > now) metadata.deletionTimestamp = formatTime(now)
  metadata.deletionGracePeriodSeconds = 0
}
