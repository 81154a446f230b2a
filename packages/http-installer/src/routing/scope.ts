import type { GroupVersionKind } from '@keelson/apimachinery'
import type { Exchange, QueryParameters } from '@keelson/exchange'
import { createWriteRoute } from '@keelson/registry'
import type { RESTStorage, WriteRoute } from '@keelson/registry'
import type { APIGroupInfo } from '../api-group-info.ts'
import { MessageCache } from '../encoding/message-cache.ts'
import type { EndpointKind, Negotiated } from '../negotiation/negotiate.ts'
import type { SurfaceSettings } from '../settings.ts'
import { typeHead } from '../encoding/splice.ts'

/** Bytes of cached protobuf messages for each path. They serve lists: about 10,000 pods fit. */
const messageBytes = 80 * 1024 * 1024

/** The facts that all requests for one path of one version share. */
export interface ResourceScope extends WriteRoute {
  readonly info: APIGroupInfo
  readonly settings: SurfaceSettings
  readonly storage: RESTStorage
  /** "pods". */
  readonly resource: string
  /** The beginning of every object's JSON. */
  readonly head: Buffer
  readonly endpoint: EndpointKind
  /** Stored objects as protobuf, if the store holds JSON. */
  readonly messages: MessageCache
}

/** A request for a handler. */
export interface ApiRequest {
  readonly exchange: Exchange
  readonly scope: ResourceScope
  /** "" on a collection. */
  readonly name: string
  readonly query: QueryParameters
}

export type Handler = (request: ApiRequest) => Promise<void>

/** A method of one kind of URL. */
export interface Method {
  readonly handle: Handler
  /** Media types of responses besides the usual ones, or 'any' if a remote answers. Default: none. */
  readonly mediaTypes?: readonly string[] | 'any'
}

/** The methods of one kind of URL. */
export interface MethodTable {
  readonly [method: string]: Method | undefined
}

/** The request of a handler, and how its response is encoded. */
export interface Answer {
  readonly exchange: Exchange
  readonly scope: ResourceScope
  readonly query: QueryParameters
  readonly negotiated: Negotiated
}

export { formatGroupVersion as apiVersionOf } from '@keelson/apimachinery'
export { parseApiVersion } from '@keelson/registry'

/** `path` is "pods" or "pods/status". */
export function createScope(
  info: APIGroupInfo,
  version: string,
  path: string,
  storage: RESTStorage,
  settings: SurfaceSettings,
): ResourceScope {
  const [resource = '', subresource = ''] = path.split('/')
  const hub = storage.gvk
  const here: GroupVersionKind = { group: info.group, version, kind: hub.kind }
  // A subresource of a foreign kind (pods/eviction, deployments/scale) is served in that kind's own version.
  const gvk = info.scheme.registration(here) === undefined ? hub : here
  const { scheme, types, admission } = info
  const { authorizeCreate, now } = settings
  const gvr = { group: info.group, version, resource }
  const route = createWriteRoute({ storage, gvk, gvr, subresource, scheme, types, admission, authorizeCreate, now })
  return {
    ...route,
    info,
    settings,
    storage,
    resource,
    head: typeHead(gvk.kind, route.apiVersion),
    endpoint: storage.table === undefined ? 'untabled' : 'object',
    messages: new MessageCache(messageBytes, now),
  }
}
