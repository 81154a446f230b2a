import type { Pod } from '@keelson/api/core/v1'
import { copyObject } from '@keelson/apimachinery'
import type { DeepReadonly, ObjectMeta } from '@keelson/apimachinery'

const restoredFields = ['deletionTimestamp', 'generation', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** Restores the metadata of a pod from the stored pod. Used by subresources that change only part of the spec. Mutates `pod`. */
export function keepMetadata(pod: Pod, old: DeepReadonly<Pod>): void {
  for (const member of restoredFields) {
    const stored = (old.metadata as ObjectMeta)[member]
    if (stored === undefined) delete pod.metadata[member]
    else Object.assign(pod.metadata, { [member]: copyObject(stored) })
  }
}
