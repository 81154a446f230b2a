import type { ApiTypes, KindType } from '@keelson/api'
import { formatGroupVersion } from '@keelson/apimachinery'
import type { GroupResource, GroupVersionKind, GroupVersionResource, KubeObject, RequestContext, Scheme } from '@keelson/apimachinery'
import type { FieldManager } from '@keelson/apimachinery/managed-fields'
import { storageFieldManager } from '../field-manager.ts'
import type { RESTStorage } from '../rest.ts'
import type { AdmissionChain } from './admission.ts'
import type { AdmittedRoute } from './attributes.ts'

/** The facts about one route, a path in one version, that its writes need. */
export interface WriteRoute extends AdmittedRoute {
  readonly storage: Pick<RESTStorage, 'alsoAccepts'>
  readonly scheme: Scheme
  readonly types: Pick<ApiTypes, 'kind'>
  readonly groupResource: GroupResource
  readonly hub: GroupVersionKind
  /** The route serves the hub version: nothing is converted. */
  readonly servesHub: boolean
  /** Undefined for kinds without generated types; these are JSON and YAML only. */
  readonly type: KindType | undefined
  readonly apiVersion: string
  readonly namespaced: boolean
  /** Undefined for kinds without a schema, whose fields nobody manages. */
  readonly fieldManager: FieldManager | undefined
  /** Asked before a PUT or an apply creates an object: throws if the user may update but not create. */
  readonly authorizeCreate: (context: RequestContext) => Promise<void> | void
}

export interface WriteRouteOptions {
  readonly storage: RESTStorage
  /** In the version that the route serves. */
  readonly gvk: GroupVersionKind
  readonly gvr: GroupVersionResource
  readonly subresource: string
  readonly scheme: Scheme
  readonly types: Pick<ApiTypes, 'kind'>
  readonly admission: AdmissionChain
  /** Default: everybody who may update may create. */
  readonly authorizeCreate?: WriteRoute['authorizeCreate']
  readonly now: () => number
}

export function createWriteRoute(options: WriteRouteOptions): WriteRoute {
  const { storage, gvk, gvr, subresource, scheme, types, admission, authorizeCreate = () => {}, now } = options
  const hub = storage.gvk
  return {
    storage,
    scheme,
    types,
    admission,
    gvk,
    gvr,
    groupResource: { group: gvr.group, resource: gvr.resource },
    subresource,
    hub,
    servesHub: gvk.group === hub.group && gvk.version === hub.version,
    type: types.kind(gvk),
    apiVersion: formatGroupVersion(gvk),
    namespaced: storage.namespaced,
    fieldManager: storageFieldManager({ scheme, types, kind: gvk, storage, subresource, now }),
    authorizeCreate,
  }
}

/** Does not change `object`, which may be shared. */
export function fromHub({ servesHub, scheme, gvk }: Pick<WriteRoute, 'servesHub' | 'scheme' | 'gvk'>, object: KubeObject): KubeObject {
  return servesHub ? object : scheme.fromHub(gvk, object)
}
