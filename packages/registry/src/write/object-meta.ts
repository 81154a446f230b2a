import { newBadRequest } from '@keelson/apimachinery'
import type { ApiError, KubeObject, OwnerReference, RequestContext } from '@keelson/apimachinery'
import type { WriteRoute } from './route.ts'

/** Drops the fields of a new object that only the server sets. */
export function wipeSystemFields(object: KubeObject): void {
  const { metadata } = object
  delete metadata.creationTimestamp
  delete metadata.uid
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.selfLink
}

/** Fills in the namespace, or refuses one that is not the route's. A cluster-wide object loses it. */
export function ensureNamespace(object: KubeObject, route: Pick<WriteRoute, 'namespaced'>, namespace: string): void {
  const { metadata } = object
  const expected = route.namespaced ? namespace : ''
  const given = metadata.namespace ?? ''
  if (given === expected) return
  if (expected === '') delete metadata.namespace
  else if (given === '') metadata.namespace = expected
  else throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request')
}

/** Refuses an object whose name is not the one in the URL. */
export function checkName(object: KubeObject, name: string): void {
  const given = object.metadata.name ?? ''
  if (given === '') throw nameMissing(name)
  if (given !== name) throw newBadRequest(`the name of the object (${given}) does not match the name on the URL (${name})`)
}

export function nameMissing(name: string): ApiError {
  return newBadRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
}

const advice =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: '

/** Drops duplicate owner references, with a warning. */
export function dedupOwnerReferences(object: KubeObject, context: RequestContext, when: 'sent' | 'admitted'): void {
  const references = object.metadata.ownerReferences
  if (references === undefined || references.length < 2) return
  const kept = new Map<string, OwnerReference>()
  const duplicates: string[] = []
  for (const reference of references) {
    // Read each once: a body has room for tens of thousands.
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference
    const identity = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion])
    if (kept.has(identity)) duplicates.push(uid)
    else kept.set(identity, reference)
  }
  if (duplicates.length === 0) return
  const what = when === 'sent' ? 'duplicate entries' : 'duplicate entries after mutating admission happens'
  context.warn(`.metadata.ownerReferences contains ${what}; ${advice}${duplicates.join(', ')}`)
  object.metadata.ownerReferences = [...kept.values()]
}
