import type { ApiTypes, KindType } from '@keelson/api'
import { encodeJson, formatGroupVersion, stringifyJson } from '@keelson/apimachinery'
import type {
  GroupResource,
  GroupVersionKind,
  GroupVersionResource,
  KubeObject,
  RequestContext,
  Scheme,
  GroupVersion,
} from '@keelson/apimachinery'
import { FieldManager } from '@keelson/apimachinery/managed-fields'
import type { RESTStorage } from '../rest.ts'
import type { AdmissionChain, AdmittedRoute, EquivalentResource } from './admission.ts'

/** The properties of a route (a path in one version) that its writes use. */
export interface WriteRoute extends AdmittedRoute {
  readonly storage: Pick<RESTStorage, 'alsoAccepts' | 'isCustom'>
  readonly scheme: Scheme
  readonly types: Pick<ApiTypes, 'kind'>
  readonly groupResource: GroupResource
  readonly hub: GroupVersionKind
  /** Whether the route serves the hub version, so that objects need no conversion. */
  readonly servesHub: boolean
  /** The generated type. Undefined for kinds without one, which support only JSON and YAML. */
  readonly type: KindType | undefined
  readonly apiVersion: string
  readonly namespaced: boolean
  /** The field manager. Undefined for kinds without a schema, whose managed fields are not tracked. */
  readonly fieldManager: FieldManager | undefined
  /** Throws if the user may update objects but not create them. Called before a PUT or an apply creates an object. */
  readonly authorizeCreate: (context: RequestContext) => Promise<void> | void
}

export interface WriteRouteOptions {
  readonly storage: RESTStorage
  /** The kind in the version that the route serves. */
  readonly gvk: GroupVersionKind
  readonly gvr: GroupVersionResource
  readonly subresource: string
  readonly scheme: Scheme
  readonly types: Pick<ApiTypes, 'kind'>
  readonly admission: AdmissionChain
  /** Checks the permission to create an object through an update. Throws if it is missing. Default: the permission to update is enough. */
  readonly authorizeCreate?: WriteRoute['authorizeCreate']
  /** Returns the equivalent resources for admission. Default: there are none. */
  readonly equivalents?: WriteRoute['listEquivalents']
  readonly now: () => number
}

/** Creates the properties of a route that its writes use. */
export function createWriteRoute(options: WriteRouteOptions): WriteRoute {
  const { storage, gvk, gvr, subresource, scheme, types, admission, authorizeCreate = () => {}, now } = options
  const none: readonly EquivalentResource[] = []
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
    fieldManager: createStorageFieldManager({ scheme, types, kind: gvk, storage, subresource, now }),
    authorizeCreate,
    otherVersions: storage.otherVersions,
    listEquivalents: options.equivalents ?? (() => none),
  }
}

/** Converts a hub object to the route's version. Returns a new object, because `object` may be shared. */
export function fromHub({ servesHub, scheme, gvk }: Pick<WriteRoute, 'servesHub' | 'scheme' | 'gvk'>, object: KubeObject): KubeObject {
  return servesHub ? object : scheme.fromHub(gvk, object)
}

/** Encodes an object in JSON that starts with kind and apiVersion. */
export function encodeTypedJson(gvk: GroupVersionKind, type: KindType | undefined, object: unknown): string {
  if (type !== undefined && type.schema.gvk !== undefined) return encodeJson({ ...type.schema, gvk }, object, { typeMeta: true })
  const body = stringifyJson(object)
  const head = `{"kind":${JSON.stringify(gvk.kind)},"apiVersion":${JSON.stringify(formatGroupVersion(gvk))}`
  return body === '{}' ? `${head}}` : `${head},${body.slice(1)}`
}

/** Sets the defaults of the route's version, and converts the object to the hub version. */
export function toHub(route: WriteRoute, object: KubeObject): KubeObject {
  object.metadata ??= {}
  route.scheme.setDefaults(route.gvk, object)
  return route.scheme.toHub(route.gvk, object)
}

/** The parameters of `createStorageFieldManager`. */
export interface StorageFieldManagerOptions {
  readonly scheme: Scheme
  readonly types: Pick<ApiTypes, 'kind'>
  /** The kind in the version of the route. */
  readonly kind: GroupVersionKind
  readonly storage: Pick<RESTStorage, 'gvk' | 'resetFields' | 'otherVersions'>
  /** The subresource, for example "status", or "" for the resource itself. */
  readonly subresource: string
  readonly now: () => number
}

/** Creates the field manager of one path in one version. Returns undefined for a kind without a schema. */
export function createStorageFieldManager(options: StorageFieldManagerOptions): FieldManager | undefined {
  const { scheme, types, kind, storage, subresource, now } = options
  const hub = storage.gvk
  const { otherVersions } = storage
  const toVersion = (apiVersion: string): GroupVersionKind => ({ ...parseApiVersion(apiVersion), kind: kind.kind })
  if (types.kind(kind) === undefined) return undefined
  return new FieldManager({
    kind,
    subresource,
    now,
    resetFields: storage.resetFields,
    // As in kube-apiserver, writing a custom resource itself resets the status only in its own version. Writing its status resets the other
    // fields in all versions that have this subresource.
    ...(otherVersions && { resetsIn: (version) => subresource !== '' && otherVersions.hasSubresource(version, subresource) }),
    versions: {
      schemaOf(apiVersion) {
        const gvk = toVersion(apiVersion)
        const otherHub = scheme.findHub(gvk)
        const isSameResource = otherHub === undefined ? isSameVersion(gvk, kind) : isSameVersion(otherHub, hub)
        return isSameResource ? types.kind(gvk) : otherVersions?.findSchema(apiVersion)
      },
      fromHub: (object, apiVersion) => scheme.fromHub(toVersion(apiVersion), object),
      toHub: (object, apiVersion) => scheme.toHub(toVersion(apiVersion), object),
      setDefaults: (object, apiVersion) => scheme.setDefaults(toVersion(apiVersion), object),
      ...(otherVersions && { convert: (object, from, to) => otherVersions.convert(object, from, to) }),
    },
  })
}

function isSameVersion(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version
}

/**
 * Splits an apiVersion at its first slash into group and version. It never throws, unlike `parseGroupVersion`, because clients may send any
 * text.
 */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? { group: '', version: apiVersion } : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}
