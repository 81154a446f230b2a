import { maybeThen, newConflict } from '@keelson/apimachinery'
import type { JsonObject, KubeObject, RequestContext } from '@keelson/apimachinery'
import { decodeBody, toHub } from '../decode/body.ts'
import type { DecodedBody } from '../decode/body.ts'
import type { SentBody } from '../decode/document.ts'
import type { AdmittedWrite, WriteOptions } from './attributes.ts'
import { checkName, dedupOwnerReferences, ensureNamespace } from './object-meta.ts'
import type { WriteRoute } from './route.ts'

/** Patches that are computed from the current object. */
export const mergePatchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
] as const
export type MergePatchType = (typeof mergePatchTypes)[number]

/** The configuration of a server-side apply, with kind and apiVersion: as a body, or decoded. */
export type Configuration = SentBody | { readonly config: JsonObject }

/** The new state of an object, as data: computed from the current state, again after each lost race. */
export type Change =
  /** PUT: the body is the new state. */
  | { readonly kind: 'replace'; readonly body: SentBody }
  | { readonly kind: 'patch'; readonly type: MergePatchType; readonly body: Uint8Array }
  /** Server-side apply. */
  | { readonly kind: 'apply'; readonly configuration: Configuration }
  /** A change made in process. `edit` gets its own copy of the current object, undefined if there is none, and may change and return it. */
  | { readonly kind: 'edit'; edit(this: void, current: KubeObject | undefined): KubeObject | Promise<KubeObject> }

/** A write on a route, as admission sees it. */
export interface RoutedWrite extends AdmittedWrite {
  readonly route: WriteRoute
  readonly options: WriteOptions
}

/** One POST. */
export interface CreateWrite {
  readonly route: WriteRoute
  readonly context: RequestContext
  /** In the URL; "" on a collection. */
  readonly name: string
  readonly options: WriteOptions
  /** A body, or an object in the hub version. The object becomes the registry's. */
  readonly sent: SentBody | { readonly object: KubeObject }
}

/** A new object in the hub version, decoded, defaulted and converted. */
export function decodeNew({ route, context, options, sent }: CreateWrite): DecodedBody | Promise<DecodedBody> {
  if ('object' in sent) return { object: toHub(route, sent.object), sent: undefined }
  return decodeBody(route, sent, options.fieldValidation, (text) => context.warn(text))
}

/** The body of a PUT in the hub version, decoded, defaulted, converted and checked. */
export function decodeReplacement(routed: RoutedWrite | undefined, body: SentBody): DecodedBody | Promise<DecodedBody> {
  const write = requireRoute(routed)
  const { route, context, options } = write
  return maybeThen(
    decodeBody(route, body, options.fieldValidation, (text) => context.warn(text)),
    (decoded) => {
      ensureNamespace(decoded.object, route, context.namespace)
      checkName(decoded.object, write.name)
      dedupOwnerReferences(decoded.object, context, 'sent')
      return decoded
    },
  )
}

export function requireRoute(routed: RoutedWrite | undefined): RoutedWrite {
  if (routed === undefined) throw new Error('only edits are possible without a route')
  return routed
}

/** Refuses a change to another object. */
export function checkIdentity({ route, context, name }: RoutedWrite, object: KubeObject, current: KubeObject | undefined): void {
  const { uid = '' } = object.metadata
  if (current === undefined && uid !== '') {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    throw newConflict(route.groupResource, name, why)
  }
  ensureNamespace(object, route, context.namespace)
  checkName(object, name)
}
