import { parseJson } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'
import { parseMediaType } from '@keelson/exchange'
import type { Exchange, Outgoing } from '@keelson/exchange'
import { containsObject } from './contains-object.ts'
import type { RecordedRequest, RequestRecording } from './request-recording.ts'

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

/** A request with its body and the code of its response. */
export interface LoggedRequest extends ClusterRequest {
  /** Code of the response. Undefined while the request runs, and if its connection was dropped. */
  readonly code: number | undefined
  /** Media type of the body, such as "application/merge-patch+json". */
  readonly contentType: string | undefined
  /** The parsed body. Undefined if it has not been read, is not JSON or YAML, or was dropped because the log has too many bytes. */
  readonly body: unknown
}

/** Criteria for requests: values of some fields, or a function. */
export type RequestMatch = Partial<ClusterRequest> | ((request: ClusterRequest) => boolean)

/** Criteria for logged requests. With `body`, the body must contain these members. */
export type LoggedRequestMatch = (Partial<ClusterRequest> & { readonly body?: unknown }) | ((request: LoggedRequest) => boolean)

export function describeRequest({ attributes, user, userAgent, namespace, target }: Exchange): ClusterRequest {
  const { verb, apiGroup, resource, subresource, name } = attributes
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
/** Total size in bytes of the bodies that the log keeps. */
const maxBodyBytes = 64 * 1024 * 1024

/** A request in the log. Its body is parsed when it is read. */
class LogEntry implements LoggedRequest {
  readonly verb: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly user: string
  readonly userAgent: string
  readonly path: string
  readonly #request: Omit<RecordedRequest, 'bodyBase64' | 'code'>
  /** The response while the request runs. */
  #outgoing: Outgoing | undefined
  #code: number | undefined
  #isDropped = false
  #bytes: Uint8Array | undefined
  #body: { readonly value: unknown } | undefined

  constructor(request: ClusterRequest, { method, user, contentType, target, outgoing }: Exchange) {
    const { verb, resource, subresource, namespace, name, userAgent, path } = request
    this.verb = verb
    this.resource = resource
    this.subresource = subresource
    this.namespace = namespace
    this.name = name
    this.user = request.user
    this.userAgent = userAgent
    this.path = path
    this.#request = { method, url: target.text, user, ...(contentType !== undefined && { contentType }) }
    this.#outgoing = outgoing
  }

  get code(): number | undefined {
    return this.#outgoing?.headersSent === true ? this.#outgoing.statusCode : this.#code
  }

  /** Keeps the code of the response, and frees the memory of the response. */
  end(): void {
    this.#code = this.code
    this.#outgoing = undefined
  }

  get contentType(): string | undefined {
    return this.#request.contentType
  }

  get body(): unknown {
    return (this.#body ??= { value: parseBody(this.contentType, this.#bytes) }).value
  }

  /** Sets the body. Returns the number of bytes that are kept in addition. */
  setBody(bytes: Uint8Array): number {
    if (this.#isDropped) return 0
    const added = bytes.length - (this.#bytes?.length ?? 0)
    this.#bytes = bytes.slice()
    this.#body = undefined
    return added
  }

  /** Drops the body, also one that is read later. Returns the number of bytes that are freed. */
  dropBody(): number {
    const bytes = this.#bytes?.length ?? 0
    this.#isDropped = true
    this.#bytes = undefined
    this.#body = undefined
    return bytes
  }

  record(): RecordedRequest {
    const bytes = this.#bytes
    return {
      ...this.#request,
      ...(bytes !== undefined && { bodyBase64: Buffer.from(bytes).toString('base64') }),
      ...(this.code !== undefined && { code: this.code }),
    }
  }
}

function parseBody(contentType: string | undefined, bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined
  const mediaType = contentType === undefined ? 'application/json' : parseMediaType(contentType)
  try {
    if (mediaType.endsWith('json')) return parseJson(bytes).value
    if (mediaType.endsWith('yaml')) return parseYaml(Buffer.from(bytes).toString()).value
  } catch {
    // A body that is not valid is refused by the server, and has no value.
  }
  return undefined
}

/**
 * The requests of clients, in the order of their arrival: requests through `fetch`, a `KubeConfig` or the port. Requests of `resource`, `apply` and
 * `waitFor` are not logged. The log keeps at least the last 10,000 requests, and 64 MiB of their bodies.
 */
export class RequestLog implements Iterable<LoggedRequest> {
  #requests: LogEntry[] = []
  #bodyBytes = 0
  /** Number of requests at the begin whose bodies were dropped. */
  #droppedBodies = 0

  /** Adds a request. Its body is added when it has been read. */
  add(request: ClusterRequest, exchange: Exchange): void {
    const logged = new LogEntry(request, exchange)
    this.#requests.push(logged)
    if (this.#requests.length > maxRequests * 1.1) {
      const removed = this.#requests.splice(0, this.#requests.length - maxRequests)
      for (const older of removed) this.#bodyBytes -= older.dropBody()
      this.#droppedBodies = Math.max(0, this.#droppedBodies - removed.length)
    }
    exchange.onEnd(() => logged.end())
    exchange.observeBody = (body) => {
      this.#bodyBytes += logged.setBody(body)
      while (this.#bodyBytes > maxBodyBytes) this.#bodyBytes -= this.#requests[this.#droppedBodies++]!.dropBody()
    }
  }

  /**
   * Returns the requests that match.
   *
   * @example
   * expect(cluster.requests.find({ verb: 'create', resource: 'pods', body: { spec: { hostNetwork: true } } })).toHaveLength(0)
   */
  find(match: LoggedRequestMatch = {}): readonly LoggedRequest[] {
    if (typeof match === 'function') return this.#requests.filter(match)
    const { body, ...fields } = match
    return this.#requests.filter((request) => matchesRequest(fields, request) && (body === undefined || containsObject(request.body, body)))
  }

  /**
   * Returns the patches that contain these members, in the order of their arrival: merge patches, strategic merge patches, server-side applies,
   * and JSON patches with one of their operations.
   *
   * @example
   * expect(cluster.requests.findPatches({ spec: { replicas: 3 } }, { resource: 'deployments.apps' })).toHaveLength(1)
   * expect(cluster.requests.findPatches({ op: 'replace', path: '/spec/replicas' })).toHaveLength(0)
   */
  findPatches(patch: object, match: RequestMatch = {}): readonly LoggedRequest[] {
    return this.find((request) => {
      if (request.verb !== 'patch' || !matchesRequest(match, request)) return false
      const { body } = request
      return Array.isArray(body) && !Array.isArray(patch)
        ? body.some((operation) => containsObject(operation, patch))
        : containsObject(body, patch)
    })
  }

  /** Returns the requests that match without watches, as data that `JSON.stringify` writes and `cluster.replay` sends again. */
  record(match: RequestMatch = {}): RequestRecording {
    return {
      requests: this.#requests.filter((request) => request.verb !== 'watch' && matchesRequest(match, request)).map((each) => each.record()),
    }
  }

  clear(): void {
    for (const request of this.#requests) request.dropBody()
    this.#requests = []
    this.#bodyBytes = 0
    this.#droppedBodies = 0
  }

  [Symbol.iterator](): Iterator<LoggedRequest> {
    return this.#requests[Symbol.iterator]()
  }
}
