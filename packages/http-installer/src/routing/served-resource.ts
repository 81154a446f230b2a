import type { GroupVersionKind, GroupVersionResource } from '@keelson/apimachinery'
import type { Exchange, QueryParameters } from '@keelson/exchange'
import { createWriteRoute } from '@keelson/registry'
import type { RESTStorage, WriteRoute } from '@keelson/registry'
import type { APIGroupInfo } from '../api-group-info.ts'
import type { EquivalentResources } from './equivalent-resources.ts'
import { MessageCache } from '../encoding/message-cache.ts'
import type { EndpointKind, Negotiated } from '../negotiation/negotiate.ts'
import type { SurfaceSettings } from '../settings.ts'
import { encodeTypeHead, untypedHead } from '../encoding/splice.ts'

/** Size limit in bytes of the cache of protobuf messages for each path. About 10,000 pods fit. */
const messageBytes = 80 * 1024 * 1024

/** Constants of a resource or subresource in one version, shared by all of its requests: kind, types, storage, caches. */
export interface ServedResource extends WriteRoute {
  readonly settings: SurfaceSettings
  readonly storage: RESTStorage
  /** Plural name of the resource, such as "pods". */
  readonly resource: string
  /** First bytes of every object's JSON: kind and apiVersion. */
  readonly head: Buffer
  /** First bytes of the JSON of an object in a list. Only items of custom resources have kind and apiVersion. */
  readonly itemHead: Buffer
  readonly listKind: string
  readonly endpoint: EndpointKind
  /** Whether objects have no protobuf encoding. In kube-apiserver, that is also so for scales of custom resources. */
  readonly isJsonOnly: boolean
  /** Cache of stored objects as protobuf messages. Used if the store contains JSON. */
  readonly messages: MessageCache
}

/** A request with everything that a handler needs. */
export interface ApiRequest {
  readonly exchange: Exchange
  readonly served: ServedResource
  /** Name of the object. "" for a collection. */
  readonly name: string
  readonly query: QueryParameters
}

export type Handler = (request: ApiRequest) => Promise<void>

/** Handler and settings of an HTTP method for one kind of URL. */
export interface Method {
  readonly handle: Handler
  /** Name of the handler's step in traces. Default: the handler has no step. */
  readonly step?: string
  /** Media types of responses in addition to the usual ones. 'any' if another server sends the response. Default: none. */
  readonly mediaTypes?: readonly string[] | 'any'
}

/** Handlers for one kind of URL, by HTTP method. */
export interface MethodTable {
  readonly [method: string]: Method | undefined
}

/** A request and the negotiated encoding of its response. */
export interface Answer {
  readonly exchange: Exchange
  readonly served: ServedResource
  readonly query: QueryParameters
  readonly negotiated: Negotiated
}

export { formatGroupVersion as apiVersionOf } from '@keelson/apimachinery'
export { parseApiVersion } from '@keelson/registry'

/** The parameters of `prepareServedResource`. */
export interface ServedResourceOptions {
  readonly group: Omit<APIGroupInfo, 'versions' | 'storage'>
  readonly version: string
  /** A resource or a subresource, such as "pods" or "pods/status". */
  readonly path: string
  /** The storages of all paths of the version. */
  readonly storages: ReadonlyMap<string, RESTStorage>
  readonly equivalents: EquivalentResources
  readonly settings: SurfaceSettings
}

/**
 * Adds a path to the equivalent resources. Returns a function that creates the constants that all requests for the path share. Writes to other
 * versions need the equivalent resources before the first request for the path.
 */
export function prepareServedResource(options: ServedResourceOptions): () => ServedResource {
  const { group, version, path, storages, equivalents, settings } = options
  const storage = storages.get(path)!
  const [resource = '', subresource = ''] = path.split('/')
  const hub = storage.gvk
  const servedKind: GroupVersionKind = { group: group.group, version, kind: hub.kind }
  // A subresource with a kind of another group (pods/eviction, deployments/scale) is served in that kind's own version.
  const gvk = group.scheme.registration(servedKind) === undefined ? hub : servedKind
  const gvr = { group: group.group, version, resource }
  const findEquivalents = equivalents.add({ resource: gvr, subresource, kind: gvk, storage }, storages.get(resource)?.otherVersions)
  // The function must not keep `storages`, because each change of a group of custom resources makes a new map of all of them.
  const shared = { group, settings }
  return () => createServedResource(shared, { gvk, gvr, subresource, storage, findEquivalents })
}

/** A path with its kind. */
interface PreparedPath {
  readonly gvk: GroupVersionKind
  readonly gvr: GroupVersionResource
  readonly subresource: string
  readonly storage: RESTStorage
  readonly findEquivalents: ReturnType<EquivalentResources['add']>
}

function createServedResource(
  { group, settings }: Pick<ServedResourceOptions, 'group' | 'settings'>,
  { gvk, gvr, subresource, storage, findEquivalents }: PreparedPath,
): ServedResource {
  const { scheme, types, admission } = group
  const { authorizeCreate, now } = settings
  const route = createWriteRoute({
    storage,
    gvk,
    gvr,
    subresource,
    scheme,
    types,
    admission,
    authorizeCreate,
    equivalents: findEquivalents,
    now,
  })
  const isJsonOnly = route.type?.isJsonOnly === true || storage.isCustom === true
  const head = encodeTypeHead(gvk.kind, route.apiVersion)
  return {
    ...route,
    settings,
    storage,
    resource: gvr.resource,
    head,
    itemHead: storage.isCustom === true ? head : untypedHead,
    listKind: storage.listKind ?? `${gvk.kind}List`,
    endpoint: isJsonOnly ? 'jsonOnly' : storage.table === undefined ? 'untabled' : 'object',
    isJsonOnly,
    messages: new MessageCache(messageBytes, now),
  }
}
