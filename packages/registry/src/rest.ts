import type { DeepReadonly, DeleteOptions, GroupVersion, GroupVersionKind, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { FieldFilter } from '@keelson/apimachinery/managed-fields'
import { isStoredObject } from '@keelson/storagebackend'
import type { FirstObjectOptions, ObjectPreconditions, ObjectWatch, Predicate, StoredObject } from '@keelson/storagebackend'
import type { DeprecationNotice, OtherVersions } from './resource-definition.ts'
import type { Connecter, Streamer } from './connect.ts'
import type { QuotaRules } from './quota-rules.ts'
import type { AdmittedRoute, WriteOptions } from './write/admission.ts'
import type { Change } from './write/change.ts'
import type { WriteRoute } from './write/route.ts'

/** The entry of a resource in discovery and OpenAPI. */
export interface Listing {
  /** Whether the documents contain the resource. */
  readonly isListed: boolean
  /** Whether the verbs create, update and patch are listed. */
  readonly listsWrites: boolean
  /** Whether the hash of the storage version is listed. */
  readonly listsStorageVersion: boolean
}

/**
 * The storage of one path ("pods", "pods/status"). Each verb that it supports is a small interface, such as `Getter`, which
 * `canGet(storage)` and similar functions test for. Reads and writes return a `StoredObject` (bytes, served without parsing) or a plain
 * object with `kind` and `apiVersion`. Every failure is an `ApiError`.
 */
export interface RESTStorage {
  /** The kind of the objects in the hub version. A verb may override it. */
  readonly gvk: GroupVersionKind
  readonly namespaced: boolean
  readonly singularName: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** The kind of lists of the objects. Default: the kind followed by "List". */
  readonly listKind?: string
  /**
   * Whether a CustomResourceDefinition defines the resource. Its lists and its entries in discovery have the form that kube-apiserver uses for
   * custom resources. Default: false.
   */
  readonly isCustom?: boolean
  /** Returns how documents list the resource at the moment. Default: completely. */
  readonly getListing?: () => Listing
  /** The version in which objects are stored. Default: the hub version. */
  readonly storedVersion?: string
  /** Columns and cells for Table output. Absent: Tables are not served. */
  readonly table?: TableConvertor | undefined
  /** Sets the fields that kube-apiserver prints even in an empty object of the kind. Default: nothing. */
  fillBlank?(object: KubeObject): void
  /** Annotations that PartialObjectMetadata leaves out. Default: none. */
  readonly specAnnotations?: readonly string[] | undefined
  /**
   * Additional group versions that request bodies may have (evictions: policy/v1beta1). Such bodies are decoded like those in the route's
   * version. Default: none.
   */
  readonly alsoAccepts?: readonly GroupVersion[]
  /** Deprecation warnings of this path, with the apiVersion as the key. */
  readonly deprecations?: Readonly<Record<string, DeprecationNotice>>
  /** The quota rules for objects of this path. Absent: quotas ignore them. */
  readonly quota?: QuotaRules | undefined
  /** Fields that writes through this path reset. Field managers never own these fields. Default: none. */
  readonly resetFields?: FieldFilter | undefined
  /** The versions of the kind that other resources serve. Default: none. */
  readonly otherVersions?: OtherVersions | undefined
  /** Waits until the resource has objects, if its storage is created on first use. Default: the storage is in use. */
  waitForFirstObject?(options: FirstObjectOptions): Promise<void>
}

/** The result of a read or write: a stored object, or a plain object with kind and apiVersion. */
export type RestResult = StoredObject | KubeObject

export interface GetRequest {
  readonly resourceVersion?: string
}
export interface Getter {
  get(context: RequestContext, name: string, options: GetRequest): Promise<RestResult>
}

export interface ExportRequest {
  /** Whether the export keeps the namespace and a generated name. */
  readonly exact: boolean
}
/** A storage whose GET supports `?export=true`, which returns the object without cluster-specific fields. */
export interface Exporter {
  export(context: RequestContext, name: string, request: ExportRequest): Promise<RestResult>
}

export interface ListRequest {
  readonly predicate: Predicate
  readonly resourceVersion: string
  readonly resourceVersionMatch: 'Exact' | 'NotOlderThan' | undefined
  readonly limit: number
  readonly continue: string
}
/** A page of a list, or the deleted objects of a deletecollection. An `ObjectList` is a `ResultList`. */
export interface ResultList {
  readonly revision: number
  /** The continue token for the next page. Absent or "" on the last page. */
  readonly continue?: string
  readonly remainingItemCount?: number | undefined
  readonly items: Iterable<RestResult>
}
export interface Lister {
  list(context: RequestContext, options: ListRequest): Promise<ResultList>
}

export interface WatchRequest {
  readonly predicate: Predicate
  readonly resourceVersion: string
  readonly resourceVersionMatch: 'Exact' | 'NotOlderThan' | undefined
  readonly allowBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
  /** The time when the server will end the watch, in milliseconds since the epoch. */
  readonly deadline: number
}
export interface Watchable {
  watch(context: RequestContext, options: WatchRequest, signal: AbortSignal): Promise<ObjectWatch>
}

/** Runs validating admission on the final object. */
export type AdmitObject = (object: KubeObject, old: KubeObject | undefined) => Promise<void> | void

export interface CreateRequest {
  readonly dryRun: boolean
  /** Checks the object in the state in which it will be stored. */
  readonly validate?: AdmitObject
}
export interface Creater {
  create(context: RequestContext, object: KubeObject, options: CreateRequest): Promise<RestResult>
}
/** A storage with a create whose URL names the parent object: POST pods/NAME/binding. */
export interface NamedCreater {
  createNamed(context: RequestContext, name: string, object: KubeObject, options: CreateRequest): Promise<RestResult>
  /** Whether an object in the body keeps its uid and timestamps. Default: false. */
  readonly keepsSystemFields?: boolean
}

/** Another representation of a stored object, for example the scale of a deployment. */
export interface ObjectView<T extends KubeObject = KubeObject> {
  /** Returns the representation to change. `object` is a copy that `write` receives afterwards. */
  read(object: T): KubeObject
  /** Copies the changes from a changed representation to the object. Throws `ApiError` to refuse them. */
  write(object: T, changed: KubeObject): void
  /** Returns the representation for validating admission. */
  show(object: DeepReadonly<T>): KubeObject
}

export interface UpdateRequest<T extends KubeObject = KubeObject> {
  readonly change: Change
  readonly dryRun: boolean
  /** The route of the write. Absent for writes by the server itself, which skip managed fields and admission. */
  readonly route?: WriteRoute | undefined
  /** The write options that the client sent. Default: none. */
  readonly options?: WriteOptions | undefined
  /** The preconditions of the write. For a PUT, the uid in its body replaces the uid given here. */
  readonly preconditions?: ObjectPreconditions | undefined
  readonly view?: ObjectView<T> | undefined
}
export interface UpdateResult {
  readonly object: RestResult
  readonly created: boolean
}
export interface Updater {
  update(context: RequestContext, name: string, request: UpdateRequest): Promise<UpdateResult>
}
/** A storage with PATCH. A storage with GET and UPDATE has PATCH too, unless its definition excludes it. */
export type Patcher = Getter & Updater

export interface DeleteRequest {
  readonly options: DeleteOptions
  readonly dryRun: boolean
  /** The route of the delete. Absent for deletes by the server itself, which skip admission. */
  readonly route?: AdmittedRoute | undefined
}
export interface DeleteResult {
  /** The last state of a removed object, or the marked object that waits for its grace period or finalizers. */
  readonly object: RestResult
  /** True if the object has been removed. If false, the response is 200 or 202 with the marked object. */
  readonly immediate: boolean
  /** Whether the response contains only kind and apiVersion, as in a dry run that ends after removing finalizers. Default: false. */
  readonly blank?: boolean
}
export interface GracefulDeleter {
  delete(context: RequestContext, name: string, request: DeleteRequest): Promise<DeleteResult>
  /** Whether DELETE returns the object (pods, namespaces while terminating) instead of a Status. */
  readonly returnsDeletedObject: boolean
}
export interface CollectionDeleter {
  deleteCollection(context: RequestContext, request: DeleteRequest, list: ListRequest): Promise<ResultList>
}

export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  readonly priority: number
}
export type TableCell = string | number | boolean | null
export interface TableConvertor {
  readonly columns: readonly TableColumn[]
  /** Whether an empty list has `rows: null` in its Table. Default: false, which gives an empty array. */
  readonly nullRows?: boolean
  /** Returns the cells of an object's row, in the order of `columns`. */
  createCells(object: DeepReadonly<KubeObject>, now: number): readonly TableCell[]
  /** Returns the conditions of an object's row, for example that a pod has completed. */
  getConditions?(object: DeepReadonly<KubeObject>): readonly { type: string; status: string; reason?: string; message?: string }[]
}

/** A storage that may support any verb. The type of the argument of `canGet` and similar functions. */
type AnyStorage =
  | RESTStorage
  | (RESTStorage &
      Partial<Getter & Lister & Watchable & Creater & NamedCreater & Updater & GracefulDeleter & CollectionDeleter & Connecter & Streamer>)
const hasMethod = (storage: object, method: string): boolean => typeof (storage as Record<string, unknown>)[method] === 'function'
export const canGet = (s: AnyStorage): s is RESTStorage & Getter => hasMethod(s, 'get')
export const canExport = (s: AnyStorage): s is RESTStorage & Exporter => hasMethod(s, 'export')
export const canList = (s: AnyStorage): s is RESTStorage & Lister => hasMethod(s, 'list')
export const canWatch = (s: AnyStorage): s is RESTStorage & Watchable => hasMethod(s, 'watch')
export const canCreate = (s: AnyStorage): s is RESTStorage & Creater => hasMethod(s, 'create')
export const canCreateNamed = (s: AnyStorage): s is RESTStorage & NamedCreater => hasMethod(s, 'createNamed')
export const canUpdate = (s: AnyStorage): s is RESTStorage & Updater => hasMethod(s, 'update')
export const canPatch = (s: AnyStorage): s is RESTStorage & Patcher => hasMethod(s, 'get') && hasMethod(s, 'update')
export const canDelete = (s: AnyStorage): s is RESTStorage & GracefulDeleter => hasMethod(s, 'delete')
export const canDeleteCollection = (s: AnyStorage): s is RESTStorage & CollectionDeleter => hasMethod(s, 'deleteCollection')
export const canConnect = (s: AnyStorage): s is RESTStorage & Connecter => hasMethod(s, 'connect')
export const canStream = (s: AnyStorage): s is RESTStorage & Streamer => hasMethod(s, 'openStream')

/** Returns the decoded object of a read's result, for readers in the same process. The object is shared and must not be changed. */
export function readResult<T extends KubeObject>(result: RestResult): DeepReadonly<T> {
  return (isStoredObject(result) ? result.object() : result) as DeepReadonly<T>
}

/** Creates a `RESTStorage` without verbs, for paths whose bodies have another kind or whose objects are not stored. */
export function describeRESTStorage(gvk: GroupVersionKind, facts: Partial<Omit<RESTStorage, 'gvk'>> = {}): RESTStorage {
  return { gvk, namespaced: true, singularName: '', shortNames: [], categories: [], ...facts }
}
