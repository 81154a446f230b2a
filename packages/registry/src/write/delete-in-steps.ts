import { formatTime, newConflict } from '@keelson/apimachinery'
import type { DeepReadonly, DeleteOptions, KubeObject, ObjectMeta } from '@keelson/apimachinery'
import type { StoredObject } from '@keelson/storagebackend'
import { admitDelete } from './attributes.ts'
import { preconditionsOf } from './deletion.ts'
import type { Deletion } from './deletion.ts'
import { foregroundFinalizer, orphanFinalizer } from './propagation.ts'
import type { DeletionPolicy } from '../resource-definition.ts'
import { qualifiedResource } from '../store-parts.ts'
import { translateError } from '../translate-error.ts'
import { writeTarget } from './target.ts'
import type { Written } from './target.ts'

/**
 * Marks the object and lets its policy change it: the first step of a deletion in steps. A second request changes nothing.
 * undefined: nothing holds the object any more, and it may be removed.
 */
export async function beginDeletion<T extends KubeObject>(
  run: Deletion<T>,
  stored: StoredObject<T>,
  policy: DeletionPolicy<T>,
): Promise<Written<T> | undefined> {
  const { parts, context, name, key, options, request } = run
  const found = stored.object()
  pinUid(run, found)
  if (found.metadata.deletionTimestamp !== undefined) return policy.readyToRemove(found) ? undefined : stored
  try {
    return await writeTarget(parts, request.dryRun).guaranteedUpdate(
      key,
      async (current, latest) => {
        if (current === undefined || latest === undefined) throw new Error('an absent object reached a deletion')
        await admitDelete(run, latest.object() as KubeObject)
        current.metadata.deletionTimestamp ??= formatTime(parts.now())
        policy.beginDelete(current)
        setFinalizers(current.metadata, options)
        return { object: current }
      },
      { ...preconditionsOf(options), signal: context.signal },
    )
  } catch (error) {
    throw translateError('update', error, qualifiedResource(parts, context), name)
  }
}

/** Makes all steps apply to this object only, not to a later one of the same name. */
function pinUid<T extends KubeObject>({ parts, context, name, options }: Deletion<T>, { metadata }: DeepReadonly<T>): void {
  const { uid = '', resourceVersion = '' } = metadata
  const asked = options.preconditions ?? {}
  const refuse = (what: string, wanted: string, found: string): never => {
    throw newConflict(
      qualifiedResource(parts, context),
      name,
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
    )
  }
  if (asked.uid !== undefined && asked.uid !== uid) refuse('UID', asked.uid, uid)
  if (asked.resourceVersion !== undefined && asked.resourceVersion !== resourceVersion) {
    refuse('ResourceVersion', asked.resourceVersion, resourceVersion)
  }
  options.preconditions = { ...asked, uid }
}

/** Unlike elsewhere, `orphanDependents: false` here asks for the foreground finalizer. */
function setFinalizers(metadata: ObjectMeta, { orphanDependents, propagationPolicy }: DeleteOptions): void {
  const present = metadata.finalizers ?? []
  const asked =
    orphanDependents !== undefined
      ? { orphan: orphanDependents, foreground: !orphanDependents }
      : propagationPolicy !== undefined
        ? { orphan: propagationPolicy === 'Orphan', foreground: propagationPolicy === 'Foreground' }
        : undefined
  if (asked === undefined) return
  const finalizers = present.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer)
  if (asked.orphan) finalizers.push(orphanFinalizer)
  if (asked.foreground) finalizers.push(foregroundFinalizer)
  if (finalizers.length > 0) metadata.finalizers = finalizers
  else delete metadata.finalizers
}
