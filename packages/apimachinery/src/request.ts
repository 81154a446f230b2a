/** Who asks. */
export interface UserInfo {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** What a URL and method ask for, as authorizers, admission, audit and metrics see it. */
export interface RequestInfo {
  readonly isResourceRequest: boolean
  readonly path: string
  /** get, list, watch, create, update, patch, delete, deletecollection; or the lower-cased method for other paths. */
  readonly verb: string
  readonly apiPrefix: string
  readonly apiGroup: string
  readonly apiVersion: string
  readonly namespace: string
  /** Plural, or "" when not a resource request. */
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** Path segments after the API version. */
  readonly parts: readonly string[]
  readonly fieldSelector?: string
  readonly labelSelector?: string
}

/** Travels with one request from the server down to the registry. In-process callers make one too. */
export interface RequestContext {
  readonly user: UserInfo
  readonly info: RequestInfo
  /** "" for cluster-wide. */
  readonly namespace: string
  /** Aborts when the client is gone or the deadline has passed. */
  readonly signal: AbortSignal
  /** Whether `signal` has aborted, without its being made where it is only made when it is asked for. Absent: the signal says. */
  readonly aborted?: boolean
  readonly userAgent: string
  /** The `fieldManager` that applies to this write: from the query, else the user agent's first part. */
  readonly fieldManager: string
  readonly requestId: string
  /** The time as the server sees it, in milliseconds since the epoch. Absent: the system's. */
  readonly now?: (() => number) | undefined
  /** Adds a `Warning` header (299); duplicates are dropped. */
  warn(text: string): void
}
