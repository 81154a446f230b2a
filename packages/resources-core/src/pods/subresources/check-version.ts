import type { Pod } from '@keelson/api/core/v1'
import { newConflict } from '@keelson/apimachinery'
import type { DeleteOptions } from '@keelson/apimachinery'

/** Throws Conflict if the pod does not match the preconditions. */
export function checkVersion({ metadata }: Pod, { preconditions = {} }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions
  const refuse = (field: string, expected: string, actual: string, cause: string): never => {
    const reason = `the ${field} in the precondition (${expected}) does not match the ${field} in record (${actual}). The object might have been ${cause}`
    throw newConflict({ group: '', resource: 'Pod' }, metadata.name ?? '', reason)
  }
  if (uid && uid !== metadata.uid) refuse('UID', uid, metadata.uid ?? '', 'deleted and then recreated')
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    refuse('ResourceVersion', resourceVersion, metadata.resourceVersion ?? '', 'modified')
  }
}
