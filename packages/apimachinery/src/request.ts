import type { FieldRequirement } from './field-selector.ts'
import type { LabelRequirement } from './label-requirement.ts'
import type { DeepReadonly, ObjectMeta } from './meta.ts'
import type { Span } from './span.ts'

/** The user of a request, as authenticated or impersonated. */
export interface UserInfo {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/**
 * An action on a resource or on another path, for authorizers. It can come from a URL, but also from a SubjectAccessReview or from the server
 * itself.
 */
export interface RequestedAction {
  readonly isResourceRequest: boolean
  /** Path of the request. "" for an action on a resource that does not come from a URL. */
  readonly path: string
  /**
   * Verb of the action: get, list, watch, create, update, patch, delete or deletecollection. For paths that are not resources, the HTTP method in
   * lower case.
   */
  readonly verb: string
  readonly apiGroup: string
  readonly apiVersion: string
  readonly namespace: string
  /** Plural name of the resource. "" if the action is not on a resource. */
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /**
   * Field selector of a list, watch or deletecollection. A selector that cannot be parsed is omitted, so that authorizers treat the action as one
   * on all objects.
   */
  readonly fieldSelector?: readonly FieldRequirement[]
  /** Label selector of a list, watch or deletecollection. Omitted if it cannot be parsed, like `fieldSelector`. */
  readonly labelSelector?: readonly LabelRequirement[]
}

const noAction: RequestedAction = {
  isResourceRequest: true,
  path: '',
  verb: '',
  apiGroup: '',
  apiVersion: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
}

/** Builds an action on a resource, for authorizers. Members that the caller omits are "". */
export function createResourceAction(
  members: Pick<RequestedAction, 'verb' | 'resource'> & Partial<Omit<RequestedAction, 'isResourceRequest' | 'path'>>,
): RequestedAction {
  return { ...noAction, ...members }
}

/** Builds an action on a path that is not a resource. */
export function createPathAction(verb: string, path: string): RequestedAction {
  return { ...noAction, isResourceRequest: false, verb, path }
}

/** The meaning of a URL and an HTTP method, for authorizers, admission, audit and metrics. */
export interface RequestInfo extends RequestedAction {
  readonly apiPrefix: string
  /** Segments of the path after the API version. */
  readonly parts: readonly string[]
}

/** A request as the registry sees it. The HTTP server creates one for each request. Callers in the same process create their own. */
export interface RequestContext {
  readonly user: UserInfo
  readonly attributes: RequestedAction
  /** Namespace of the request. "" for cluster-scoped requests. */
  readonly namespace: string
  /** Aborts when the client disconnects or the request's deadline passes. */
  readonly signal: AbortSignal
  /**
   * True if the signal has aborted. Reading this does not create `signal`, which is created on first use. If it is undefined, read
   * `signal.aborted`.
   */
  readonly aborted?: boolean
  /** Time at which the request's deadline passes, as returned by `performance.now()`. Undefined if it has none. */
  readonly deadline?: number | undefined
  readonly userAgent: string
  /** Name of the field manager: the query parameter `fieldManager`, or the first part of the user agent. */
  readonly fieldManager: string
  readonly requestId: string
  /** Returns the time of the server in milliseconds since 1970. Default: the system clock. */
  readonly now?: (() => number) | undefined
  /**
   * Called when a watch has sent the existing objects, or when another server takes over the request. The watch then no longer counts as a
   * running request. Undefined if nobody counts.
   */
  readonly watchInitialized?: (() => void) | undefined
  /** Current step of the request's trace. Undefined if the request is not recorded. */
  readonly span?: Span | undefined
  /** Adds a `Warning` header with code 299 to the response. Drops duplicate texts. */
  warn(text: string): void
  /**
   * Adds an annotation to the audit event of the request, if the event has at least this level (default: Metadata). Undefined if the request is
   * not audited. Like the next two, it must be called as a method.
   */
  annotate?: ((key: string, value: string, level?: AnnotationLevel) => void) | undefined
  /** Adds time that the request spent in a layer, for its audit event. Undefined if the request is not audited. */
  addLatency?: ((layer: LatencyLayer, milliseconds: number) => void) | undefined
  /**
   * Adds time that the request spent in a layer that does not count for the server's service level indicators. Includes `addLatency`. Must be
   * called as a method.
   */
  excludeLatency?: ((layer: ExcludedLayer, milliseconds: number) => void) | undefined
  /** Records the object of a create, PUT or delete in the audit event of the request. Undefined if the request is not audited. */
  recordObject?: ((object: RequestObject) => void) | undefined
}

/** Layers of the server whose latencies the audit event of a slow request contains. */
export type LatencyLayer =
  | 'authentication'
  | 'impersonation'
  | 'apf-queue-wait'
  | 'authorization'
  | 'mutating-webhook'
  | 'validating-webhook'
  | 'etcd'
  | 'transform-response-object'
  | 'serialize-response-object'
  | 'response-write'

/** Layers whose latency depends on webhooks or on other clients. */
export type ExcludedLayer = Extract<LatencyLayer, 'apf-queue-wait' | 'mutating-webhook' | 'validating-webhook'>

/** The object in the body of a request, in the version that the client sent, with defaults. */
export interface RequestObject {
  /** Undefined for objects without metadata, such as DeleteOptions. */
  readonly metadata: DeepReadonly<ObjectMeta> | undefined
  /** Encodes the object as JSON. Called at once or never. */
  encode(options: { readonly omitManagedFields: boolean }): string
}

/** The lowest level of audit events that contain an annotation. */
export type AnnotationLevel = 'Metadata' | 'Request'

/** User name of requests without credentials. */
export const anonymousUser = 'system:anonymous'
export const apiServerUser = 'system:apiserver'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'
/** Group whose members may do everything. Their requests are also exempt from load limits. */
export const mastersGroup = 'system:masters'
