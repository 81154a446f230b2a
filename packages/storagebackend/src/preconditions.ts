import { invalidObject } from './errors.ts'
import type { ObjectPreconditions } from './storage.ts'

interface Identified {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string }
}

/** Throws `InvalidObject` with the text that clients see in a conflict. An absent object has an empty uid and version. */
export function checkPreconditions(key: string, object: Identified | undefined, preconditions: ObjectPreconditions | undefined): void {
  if (!preconditions) return
  const uid = object?.metadata.uid ?? ''
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    throw invalidObject(key, `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`)
  }
  const version = object?.metadata.resourceVersion ?? ''
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== version) {
    throw invalidObject(
      key,
      `Precondition failed: ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${version}`,
    )
  }
}
