import type { Pod } from '@keelson/api/core/v1'
import { copyObject } from '@keelson/apimachinery'
import type { DeepReadonly, ObjectMeta } from '@keelson/apimachinery'

const kept = ['deletionTimestamp', 'generation', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** For subresources that change a part of the spec only. In place. */
export function keepMetadata(pod: Pod, old: DeepReadonly<Pod>): void {
  for (const member of kept) {
    const stored = (old.metadata as ObjectMeta)[member]
    if (stored === undefined) delete pod.metadata[member]
    else Object.assign(pod.metadata, { [member]: copyObject(stored) })
  }
}
