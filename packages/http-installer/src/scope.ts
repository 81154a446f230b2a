import type { GroupResource, GroupVersionKind, GroupVersionResource, RequestContext, Scheme } from '@keelson/apimachinery'
import type { KindType } from '@keelson/api'
import type { FieldManager } from '@keelson/apimachinery/managed-fields'
import type { QueryParameters } from '@keelson/exchange'
import { storageFieldManager } from '@keelson/registry'
import type { AdmissionChain, RESTStorage } from '@keelson/registry'
import type { APIGroupInfo } from './api-group-info.ts'
import type { InstallerContext } from './context.ts'
import { MessageCache } from './message-cache.ts'
import type { EndpointKind, Negotiated } from './negotiate.ts'
import type { SurfaceSettings } from './settings.ts'
import { typeHead } from './splice.ts'

/** Of each path that serves a kind as protobuf. Lists are what it is for: about 10,000 pods fit. */
const messageBytes = 80 * 1024 * 1024

/** What all requests for one path of one version have in common. */
export interface ResourceScope {
  readonly info: APIGroupInfo
  readonly settings: SurfaceSettings
  readonly storage: RESTStorage
  readonly scheme: Scheme
  readonly admission: AdmissionChain
  /** "pods". */
  readonly resource: string
  /** "" or "status". */
  readonly subresource: string
  readonly gvr: GroupVersionResource
  readonly groupResource: GroupResource
  /** The kind in the version that this path serves. */
  readonly gvk: GroupVersionKind
  readonly hub: GroupVersionKind
  /** Stored bytes can be served as they are. */
  readonly servesHub: boolean
  /** Undefined for kinds without generated types; these are JSON and YAML only. */
  readonly type: KindType | undefined
  readonly apiVersion: string
  /** Undefined where nobody manages fields: kinds without a schema. */
  readonly fieldManager: FieldManager | undefined
  /** The beginning of every object's JSON. */
  readonly head: Buffer
  readonly namespaced: boolean
  readonly endpoint: EndpointKind
  /** Stored objects as protobuf, where the store holds JSON. */
  readonly messages: MessageCache
}

/** One request on its way through a handler. */
export interface ApiRequest {
  readonly c: InstallerContext
  readonly scope: ResourceScope
  /** Its `namespace` is the one of the path; "" for cluster-wide. */
  readonly context: RequestContext
  /** "" on a collection. */
  readonly name: string
  readonly query: QueryParameters
  /** By the `/watch/` prefix. */
  readonly forceWatch: boolean
}

export type Handler = (request: ApiRequest) => Promise<Response>

/** A handler's request with the form of its answer. */
export interface Answer {
  readonly c: InstallerContext
  readonly scope: ResourceScope
  readonly query: QueryParameters
  readonly negotiated: Negotiated
}

export function apiVersionOf(gv: { readonly group: string; readonly version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`
}

export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? { group: '', version: apiVersion } : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

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
  return {
    info,
    settings,
    storage,
    scheme: info.scheme,
    admission: info.admission,
    resource,
    subresource,
    gvr: { group: info.group, version, resource },
    groupResource: { group: info.group, resource },
    gvk,
    hub,
    servesHub: gvk.group === hub.group && gvk.version === hub.version,
    type: info.types.kind(gvk),
    apiVersion: apiVersionOf(gvk),
    fieldManager: storageFieldManager({ ...info, kind: gvk, storage, subresource, now: settings.now }),
    head: typeHead(gvk.kind, apiVersionOf(gvk)),
    namespaced: storage.namespaced,
    endpoint: storage.table === undefined ? 'untabled' : 'object',
    messages: new MessageCache(messageBytes, settings.now),
  }
}
