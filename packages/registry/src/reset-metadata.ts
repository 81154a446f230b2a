import { copyObject } from '@keelson/apimachinery'
import type { DeepReadonly, ObjectMeta } from '@keelson/apimachinery'

const kept = ['deletionTimestamp', 'generation', 'selfLink', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** Restores metadata in a status update, in place: for newer kinds, whose status subresource changes nothing else. */
export function resetMetadataForStatus(metadata: ObjectMeta, old: DeepReadonly<ObjectMeta>): void {
  for (const member of kept) {
    const stored = old[member]
    if (stored === undefined) delete metadata[member]
    else Object.assign(metadata, { [member]: copyObject(stored) })
  }
}
