import { formatTime, newConflict, pauseIfLong } from '@keelson/apimachinery'
import type { DeepReadonly, DeleteOptions, KubeObject, ObjectMeta } from '@keelson/apimachinery'
import type { StoredObject } from '@keelson/storagebackend'
import { admitDelete } from './admission.ts'
import { getPreconditions, foregroundFinalizer, orphanFinalizer } from './prepare-delete.ts'
import type { Deletion } from './prepare-delete.ts'
import type { DeletionPolicy } from '../resource-definition.ts'
import { qualifyResource } from '../store-dependencies.ts'
import { translateError } from '../translate-error.ts'
import { writeTarget } from './write-target.ts'
import type { Written } from './write-target.ts'

/**
 * Runs the first step of a deletion in two steps. It marks the object and calls the `beginDelete` of the policy. If the object is already
 * marked, it changes nothing. Returns the marked object, or undefined if the object may be removed now.
 */
export async function beginDeletion<T extends KubeObject>(
  run: Deletion<T>,
  stored: StoredObject<T>,
  policy: DeletionPolicy<T>,
): Promise<Written<T> | undefined> {
  const { dependencies, context, name, key, options, request } = run
  const startTime = performance.now()
  const object = stored.object()
  const pause = pauseIfLong(startTime)
  if (pause !== undefined) await pause
  requireSameUid(run, object)
  if (object.metadata.deletionTimestamp !== undefined) return policy.isReadyToRemove(object) ? undefined : stored
  try {
    return await writeTarget(dependencies, context, request.dryRun).guaranteedUpdate(
      key,
      async (current, latest) => {
        if (current === undefined || latest === undefined) throw new Error('cannot delete an absent object')
        await admitDelete(run, latest.object() as KubeObject)
        current.metadata.deletionTimestamp ??= formatTime(dependencies.now())
        policy.beginDelete(current)
        if (policy.ignoresPropagation !== true) setFinalizers(current.metadata, options)
        return { object: current }
      },
      { ...getPreconditions(options), suggestion: stored, signal: context.signal },
    )
  } catch (error) {
    throw translateError('update', error, qualifyResource(dependencies, context), name)
  }
}

/** Adds the uid of the object to the preconditions of all later steps, so that they cannot delete a later object with the same name. */
function requireSameUid<T extends KubeObject>({ dependencies, context, name, options }: Deletion<T>, { metadata }: DeepReadonly<T>): void {
  const { uid = '', resourceVersion = '' } = metadata
  const requested = options.preconditions ?? {}
  const throwConflict = (member: string, expected: string, actual: string): never => {
    throw newConflict(
      qualifyResource(dependencies, context),
      name,
      `Precondition failed: ${member} in precondition: ${expected}, ${member} in object meta: ${actual}`,
    )
  }
  if (requested.uid !== undefined && requested.uid !== uid) throwConflict('UID', requested.uid, uid)
  if (requested.resourceVersion !== undefined && requested.resourceVersion !== resourceVersion) {
    throwConflict('ResourceVersion', requested.resourceVersion, resourceVersion)
  }
  options.preconditions = { ...requested, uid }
}

/**
 * Sets the finalizers that the propagation policy requires. With `orphanDependents: false`, namespaces get the foreground finalizer, unlike
 * other kinds.
 */
function setFinalizers(metadata: ObjectMeta, { orphanDependents, propagationPolicy }: DeleteOptions): void {
  const current = metadata.finalizers ?? []
  const requested =
    orphanDependents !== undefined
      ? { orphan: orphanDependents, foreground: !orphanDependents }
      : propagationPolicy !== undefined
        ? { orphan: propagationPolicy === 'Orphan', foreground: propagationPolicy === 'Foreground' }
        : undefined
  if (requested === undefined) return
  const finalizers = current.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer)
  if (requested.orphan) finalizers.push(orphanFinalizer)
  if (requested.foreground) finalizers.push(foregroundFinalizer)
  if (finalizers.length > 0) metadata.finalizers = finalizers
  else delete metadata.finalizers
}
