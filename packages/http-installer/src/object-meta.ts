import { newBadRequest } from '@keelson/apimachinery'
import type { ApiError, KubeObject, OwnerReference } from '@keelson/apimachinery'
import type { ResourceScope } from './scope.ts'

/** What only the server may say about a new object. */
export function wipeSystemFields(object: KubeObject): void {
  const { metadata } = object
  delete metadata.creationTimestamp
  delete metadata.uid
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.selfLink
}

/** Fills the namespace in, or refuses one that is not the path's. A cluster-wide object loses it. */
export function ensureNamespace(object: KubeObject, scope: ResourceScope, namespace: string): void {
  const { metadata } = object
  const expected = scope.namespaced ? namespace : ''
  const given = metadata.namespace ?? ''
  if (given === expected) return
  if (expected === '') delete metadata.namespace
  else if (given === '') metadata.namespace = expected
  else throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request')
}

/** The name of an object that goes to a named path. */
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

/** Drops owner references that are there twice, and says so. */
export function dedupOwnerReferences(object: KubeObject, warn: (text: string) => void, when: 'sent' | 'admitted'): void {
  const references = object.metadata.ownerReferences
  if (references === undefined || references.length < 2) return
  const kept = new Map<string, OwnerReference>()
  const duplicates: string[] = []
  for (const reference of references) {
    // One look each: a body has room for tens of thousands.
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference
    const identity = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion])
    if (kept.has(identity)) duplicates.push(uid)
    else kept.set(identity, reference)
  }
  if (duplicates.length === 0) return
  const what = when === 'sent' ? 'duplicate entries' : 'duplicate entries after mutating admission happens'
  warn(`.metadata.ownerReferences contains ${what}; ${advice}${duplicates.join(', ')}`)
  object.metadata.ownerReferences = [...kept.values()]
}
