import type { GroupVersionKind } from '@keelson/apimachinery'
import type { Exchange, QueryParameters } from '@keelson/exchange'
import { createWriteRoute } from '@keelson/registry'
import type { RESTStorage, WriteRoute } from '@keelson/registry'
import type { APIGroupInfo } from '../api-group-info.ts'
import { MessageCache } from '../encoding/message-cache.ts'
import type { EndpointKind, Negotiated } from '../negotiation/negotiate.ts'
import type { SurfaceSettings } from '../settings.ts'
import { typeHead } from '../encoding/splice.ts'

/** The size of the cache of protobuf messages for each path. It serves lists: about 10,000 pods fit. */
const messageBytes = 80 * 1024 * 1024

/** The values that all requests for a path of a version share. */
export interface ResourceScope extends WriteRoute {
  readonly info: APIGroupInfo
  readonly settings: SurfaceSettings
  readonly storage: RESTStorage
  /** The plural name of the resource: "pods". */
  readonly resource: string
  /** The beginning of every object's JSON. */
  readonly head: Buffer
  readonly endpoint: EndpointKind
  /** The cache of stored objects as protobuf messages, if the store holds JSON. */
  readonly messages: MessageCache
}

/** A request with everything that a handler needs. */
export interface ApiRequest {
  readonly exchange: Exchange
  readonly scope: ResourceScope
  /** The name of the object; "" for a collection. */
  readonly name: string
  readonly query: QueryParameters
}

export type Handler = (request: ApiRequest) => Promise<void>

/** A method of one kind of URL. */
export interface Method {
  readonly handle: Handler
  /** Media types of responses in addition to the usual ones, or 'any' if a remote responds. Default: none. */
  readonly mediaTypes?: readonly string[] | 'any'
}

/** The methods of one kind of URL. */
export interface MethodTable {
  readonly [method: string]: Method | undefined
}

/** A handler's request and the encoding of its response. */
export interface Answer {
  readonly exchange: Exchange
  readonly scope: ResourceScope
  readonly query: QueryParameters
  readonly negotiated: Negotiated
}

export { formatGroupVersion as apiVersionOf } from '@keelson/apimachinery'
export { parseApiVersion } from '@keelson/registry'

/** Creates the scope of a path: "pods" or "pods/status". */
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
