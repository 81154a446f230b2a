import { formatTime, newConflict, newInternal, newInvalid, parseTime, validateDeleteOptions } from '@keelson/apimachinery'
import type { DeepReadonly, DeleteOptions, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { StoreParts } from '../store-parts.ts'

/**
 * `now`: remove the object. `graceful`: write the marked object; it is removed when its grace period is over.
 * `pending`: its deletion is under way and nothing changes.
 */
export type DeletionMode = 'now' | 'graceful' | 'pending'

/** Checks options and preconditions and marks `object` for a graceful deletion. May change both arguments: they are copies. */
export function beforeDelete<T extends KubeObject>(
  parts: StoreParts<T>,
  context: RequestContext,
  object: T,
  options: DeleteOptions,
): DeletionMode {
  const errors = validateDeleteOptions(options)
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
  checkDeletePreconditions(parts, object, options)
  if ((options.gracePeriodSeconds ?? 0) < 0) options.gracePeriodSeconds = 1
  const { metadata } = object
  if ((metadata.deletionGracePeriodSeconds ?? 0) < 0) metadata.deletionGracePeriodSeconds = 1
  const { strategy } = parts.definition
  if (strategy.checkGracefulDelete === undefined) return 'now'
  if (metadata.deletionTimestamp !== undefined) return hasten(parts, object, options)
  if (!strategy.checkGracefulDelete(context, object as DeepReadonly<T>, options)) return 'now'
  if (options.gracePeriodSeconds === undefined) throw newInternal('options.GracePeriodSeconds should not be nil')
  metadata.deletionTimestamp = formatTime(parts.now() + options.gracePeriodSeconds * 1000)
  metadata.deletionGracePeriodSeconds = options.gracePeriodSeconds
  if ((metadata.generation ?? 0) > 0) metadata.generation = metadata.generation! + 1
  return 'graceful'
}

/** Shortens a running grace period; it never becomes longer. */
function hasten<T extends KubeObject>(parts: StoreParts<T>, { metadata }: T, options: DeleteOptions): DeletionMode {
  const present = metadata.deletionGracePeriodSeconds ?? 0
  // Marked but not removed, because the second step failed: finish it.
  if (present === 0) return 'now'
  const asked = options.gracePeriodSeconds
  if (asked === undefined) {
    options.gracePeriodSeconds = present
    return 'pending'
  }
  if (asked >= present) return 'pending'
  const now = parts.now()
  const moved = parseTime(metadata.deletionTimestamp!) + (asked - present) * 1000
  const passed = moved < now
  metadata.deletionTimestamp = formatTime(passed ? now : moved)
  // A request with a grace period leaves the removal to the kubelet, even if the period is over.
  metadata.deletionGracePeriodSeconds = passed && asked !== 0 ? 1 : asked
  return 'graceful'
}

function checkDeletePreconditions<T extends KubeObject>(parts: StoreParts<T>, { metadata }: T, { preconditions }: DeleteOptions): void {
  const subject = { group: parts.gvk.group, resource: parts.gvk.kind }
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
