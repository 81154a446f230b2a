import type { Pod } from '@keelson/api/core/v1'
import { newConflict } from '@keelson/apimachinery'
import type { DeleteOptions } from '@keelson/apimachinery'

/** Throws Conflict if the pod does not match the preconditions. */
export function checkVersion({ metadata }: Pod, { preconditions = {} }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions
  const refuse = (what: string, asked: string, found: string, might: string): never => {
    const reason = `the ${what} in the precondition (${asked}) does not match the ${what} in record (${found}). The object might have been ${might}`
    throw newConflict({ group: '', resource: 'Pod' }, metadata.name ?? '', reason)
  }
  if (uid && uid !== metadata.uid) refuse('UID', uid, metadata.uid ?? '', 'deleted and then recreated')
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    refuse('ResourceVersion', resourceVersion, metadata.resourceVersion ?? '', 'modified')
  }
}
