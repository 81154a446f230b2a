import type { FieldRequirement } from './field-selector.ts'
import type { LabelRequirement } from './label-requirement.ts'

/** The user of a request. */
export interface UserInfo {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** An action on a resource or a path, for authorizers. It need not come from a URL. */
export interface RequestedAction {
  readonly isResourceRequest: boolean
  /** "" for a resource, unless a URL names it. */
  readonly path: string
  /** get, list, watch, create, update, patch, delete, deletecollection; or the method in lower case for other paths. */
  readonly verb: string
  readonly apiGroup: string
  readonly apiVersion: string
  readonly namespace: string
  /** Plural; "" if not a resource request. */
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** Requirements of a list, watch or deletecollection. A selector that does not parse is left out, which asks for more. */
  readonly fieldSelector?: readonly FieldRequirement[]
  /** The same for labels. */
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

/** Builds an action on a resource. Omitted members are "". */
export function resourceAction(
  parts: Pick<RequestedAction, 'verb' | 'resource'> & Partial<Omit<RequestedAction, 'isResourceRequest' | 'path'>>,
): RequestedAction {
  return { ...noAction, ...parts }
}

/** Builds an action on a path that is not a resource. */
export function pathAction(verb: string, path: string): RequestedAction {
  return { ...noAction, isResourceRequest: false, verb, path }
}

/** The meaning of a URL and method for authorizers, admission, audit and metrics. */
export interface RequestInfo extends RequestedAction {
  readonly apiPrefix: string
  /** Path segments after the API version. */
  readonly parts: readonly string[]
}

/** The request for the registry. The server creates one for each request; in-process callers create their own. */
export interface RequestContext {
  readonly user: UserInfo
  readonly info: RequestedAction
  /** "" for cluster-scoped requests. */
  readonly namespace: string
  /** Aborts when the client disconnects or the deadline passes. */
  readonly signal: AbortSignal
  /** True if aborted. Reading it does not create the lazy `signal`. If undefined, use `signal.aborted`. */
  readonly aborted?: boolean
  readonly userAgent: string
  /** The write's `fieldManager`: from the query, or the first part of the user agent. */
  readonly fieldManager: string
  readonly requestId: string
  /** Returns the server's time in milliseconds since the epoch. Default: the system clock. */
  readonly now?: (() => number) | undefined
  /** Adds a `Warning` header (299); duplicates are dropped. */
  warn(text: string): void
  /** Adds an annotation to the request's audit event. Absent: the request is not audited. */
  annotate?: ((key: string, value: string) => void) | undefined
}

/** Name of the user of requests without credentials. */
export const anonymousUser = 'system:anonymous'
export const apiServerUser = 'system:apiserver'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'
/** Group whose members may do everything. They are also exempt from load limits. */
export const mastersGroup = 'system:masters'
