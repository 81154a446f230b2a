import type { Exchange } from '@keelson/exchange'

/** A request to the cluster. Its fields are the criteria for faults and for searches in the log. */
export interface ClusterRequest {
  /** "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"; for other paths the method in lower case. */
  readonly verb: string
  /** Resource with its group, such as "pods" and "deployments.apps". Empty for other paths. */
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Name of the user. */
  readonly user: string
  readonly userAgent: string
  readonly path: string
}

/** A request with the code of its response. */
export interface LoggedRequest extends ClusterRequest {
  /** Code of the response. Undefined while the request runs, and if its connection was dropped. */
  readonly code: number | undefined
}

/** Criteria for requests: values of some fields, or a function. */
export type RequestMatch = Partial<ClusterRequest> | ((request: ClusterRequest) => boolean)

export function describeRequest({ info, user, userAgent, namespace, target }: Exchange): ClusterRequest {
  const { verb, apiGroup, resource, subresource, name } = info
  return {
    verb,
    resource: apiGroup === '' ? resource : `${resource}.${apiGroup}`,
    subresource,
    namespace,
    name,
    user: user.name,
    userAgent,
    path: target.path,
  }
}

export function matchesRequest(match: RequestMatch, request: ClusterRequest): boolean {
  if (typeof match === 'function') return match(request)
  return Object.entries(match).every(([field, value]) => value === undefined || request[field as keyof ClusterRequest] === value)
}

/** Number of requests that the log keeps at least. */
const maxRequests = 10_000

/**
 * The requests of clients, in the order of their arrival: requests through `fetch`, a `KubeConfig` or the port. Requests of `resource`, `apply` and
 * `waitFor` are not logged. The log keeps at least the last 10,000 requests.
 */
export class RequestLog implements Iterable<LoggedRequest> {
  #requests: { -readonly [Field in keyof LoggedRequest]: LoggedRequest[Field] }[] = []

  /** Adds a request. Returns a function that sets the code of its response. */
  add(request: ClusterRequest): (code: number) => void {
    const logged = { ...request, code: undefined as number | undefined }
    this.#requests.push(logged)
    if (this.#requests.length > maxRequests * 1.1) this.#requests = this.#requests.slice(-maxRequests)
    return (code) => void (logged.code = code)
  }

  /**
   * Returns the requests that match.
   *
   * @example
   * expect(cluster.requests.find({ verb: 'patch', resource: 'widgets.example.com', subresource: 'status' })).toHaveLength(1)
   */
  find(match: RequestMatch = {}): readonly LoggedRequest[] {
    return this.#requests.filter((request) => matchesRequest(match, request))
  }

  clear(): void {
    this.#requests = []
  }

  [Symbol.iterator](): Iterator<LoggedRequest> {
    return this.#requests[Symbol.iterator]()
  }
}
