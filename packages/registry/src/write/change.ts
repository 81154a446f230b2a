import { runAfter, newConflict, newBadRequest } from '@keelson/apimachinery'
import type { JsonObject, KubeObject, RequestContext, ApiError, OwnerReference } from '@keelson/apimachinery'
import { encodeTypedJson, fromHub, toHub } from './route.ts'
import { decodeBody } from '../decode/body.ts'
import type { DecodedBody } from '../decode/body.ts'
import type { SentBody } from '../decode/document.ts'
import type { AdmittedWrite, WriteOptions } from './admission.ts'
import type { WriteRoute } from './route.ts'

/** Patch types that are merged into the current object. Server-side apply is not among them. */
export const mergePatchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
] as const
export type MergePatchType = (typeof mergePatchTypes)[number]

/** The configuration of a server-side apply, with kind and apiVersion. Either the body of the request or a decoded object. */
export type Configuration = SentBody | { readonly config: JsonObject }

/**
 * A change of an object, as data. The change is applied to the current object. If a concurrent write comes first, it is applied again to
 * the newer object.
 */
export type Change =
  /** A PUT, whose body is the new object. */
  | { readonly kind: 'replace'; readonly body: SentBody }
  | { readonly kind: 'patch'; readonly type: MergePatchType; readonly body: Uint8Array }
  /** A server-side apply. */
  | { readonly kind: 'apply'; readonly configuration: Configuration }
  /**
   * A change by code of this server. `edit` receives a copy of the current object, or undefined if the object is absent. It may change and
   * return the copy.
   */
  | { readonly kind: 'edit'; edit(this: void, current: KubeObject | undefined): KubeObject | Promise<KubeObject> }

/** A write that a client sent through a route. */
export interface RoutedWrite extends AdmittedWrite {
  readonly route: WriteRoute
  readonly options: WriteOptions
}

/** One POST request. */
export interface CreateWrite {
  readonly route: WriteRoute
  readonly context: RequestContext
  /** The name in the URL, or "" for a POST to a collection. */
  readonly name: string
  readonly options: WriteOptions
  /** The body of the request, or an object in the hub version. The registry may change the object. */
  readonly sent: SentBody | { readonly object: KubeObject }
}

/** Decodes the new object of a POST, sets defaults, and converts the object to the hub version. */
export function decodeNew({ route, context, options, sent }: CreateWrite): DecodedBody | Promise<DecodedBody> {
  if ('object' in sent) return { object: toHub(route, sent.object), withEmptyLists: undefined }
  const decoding = decodeBody(route, sent, options.fieldValidation, (text) => context.warn(text))
  return context.recordObject === undefined ? decoding : runAfter(decoding, (decoded) => recordDecoded(route, context, decoded))
}

/** Records a decoded body in the audit event of its request. */
function recordDecoded(route: WriteRoute, context: RequestContext, decoded: DecodedBody): DecodedBody {
  const object = decoded.withEmptyLists ?? decoded.object
  const { metadata } = object
  context.recordObject?.({
    metadata,
    encode({ omitManagedFields }) {
      const { managedFields, ...otherMetadata } = metadata ?? {}
      const recorded = omitManagedFields && managedFields !== undefined ? { ...object, metadata: otherMetadata } : object
      return encodeTypedJson(decoded.gvk ?? route.gvk, route.type, fromHub(route, recorded))
    },
  })
  return decoded
}

/**
 * Decodes the body of a PUT, sets defaults, converts the object to the hub version, and checks that its name and namespace match the URL.
 */
export function decodeReplacement(routed: RoutedWrite | undefined, body: SentBody): DecodedBody | Promise<DecodedBody> {
  const write = requireRoute(routed)
  const { route, context, options } = write
  return runAfter(
    decodeBody(route, body, options.fieldValidation, (text) => context.warn(text)),
    (decoded) => {
      recordDecoded(route, context, decoded)
      ensureNamespace(decoded.object, route, context.namespace)
      checkName(decoded.object, write.name)
      deduplicateOwnerReferences(decoded.object, context, 'sent')
      return decoded
    },
  )
}

/** Returns the write's route and options. Throws if the write has none, because only edits by the server itself need no route. */
export function requireRoute(routed: RoutedWrite | undefined): RoutedWrite {
  if (routed === undefined) throw new Error('a write without a route can only be an edit')
  return routed
}

/** Throws if a change alters the name or namespace of the object, or if its object has a uid although no object exists. */
export function checkIdentity({ route, context, name }: RoutedWrite, object: KubeObject, current: KubeObject | undefined): void {
  const { uid = '' } = object.metadata
  if (current === undefined && uid !== '') {
    const reason = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    throw newConflict(route.groupResource, name, reason)
  }
  ensureNamespace(object, route, context.namespace)
  checkName(object, name)
}

/** Removes the fields of a new object that only the server may set. */
export function wipeSystemFields(object: KubeObject): void {
  const { metadata } = object
  delete metadata.creationTimestamp
  delete metadata.uid
  delete metadata.deletionTimestamp
  delete metadata.deletionGracePeriodSeconds
  delete metadata.selfLink
}

/**
 * Sets the object's namespace to that of the request. Throws if the object has a different namespace. Removes the namespace of a
 * cluster-wide object.
 */
export function ensureNamespace(object: KubeObject, route: Pick<WriteRoute, 'namespaced'>, namespace: string): void {
  const { metadata } = object
  const expected = route.namespaced ? namespace : ''
  const current = metadata.namespace ?? ''
  if (current === expected) return
  if (expected === '') delete metadata.namespace
  else if (current === '') metadata.namespace = expected
  else throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request')
}

/** Throws if the object's name differs from the name in the URL. */
export function checkName(object: KubeObject, name: string): void {
  const current = object.metadata.name ?? ''
  if (current === '') throw newMissingNameError(name)
  if (current !== name) throw newBadRequest(`the name of the object (${current}) does not match the name on the URL (${name})`)
}

/** Creates the error for an object without a name. */
export function newMissingNameError(name: string): ApiError {
  return newBadRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
}

const advice =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: '

/** Removes duplicate owner references, and adds a warning if there were any. */
export function deduplicateOwnerReferences(object: KubeObject, context: RequestContext, when: 'sent' | 'admitted'): void {
  const references = object.metadata.ownerReferences
  if (references === undefined || references.length < 2) return
  const unique = new Map<string, OwnerReference>()
  const duplicates: string[] = []
  for (const reference of references) {
    // Each member is read once, because reading a member may be slow and a body may have tens of thousands of references.
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference
    const identity = JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion])
    if (unique.has(identity)) duplicates.push(uid)
    else unique.set(identity, reference)
  }
  if (duplicates.length === 0) return
  const text = when === 'sent' ? 'duplicate entries' : 'duplicate entries after mutating admission happens'
  context.warn(`.metadata.ownerReferences contains ${text}; ${advice}${duplicates.join(', ')}`)
  object.metadata.ownerReferences = [...unique.values()]
}
