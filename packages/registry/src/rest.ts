import type { DeepReadonly, DeleteOptions, GroupVersion, GroupVersionKind, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { FieldFilter } from '@keelson/apimachinery/managed-fields'
import { isStoredObject } from '@keelson/storagebackend'
import type { ObjectPreconditions, ObjectWatch, Predicate, StoredObject } from '@keelson/storagebackend'
import type { DeprecationNotice } from './resource-definition.ts'
import type { Connecter, Streamer } from './connect.ts'
import type { QuotaRules } from './quota-rules.ts'
import type { AdmittedRoute, WriteOptions } from './write/admission.ts'
import type { Change } from './write/change.ts'
import type { WriteRoute } from './write/route.ts'

/**
 * The storage of one path ("pods", "pods/status"). Its verbs are the small interfaces that it implements, tested by `canGet(storage)` and so on. A
 * result is a `StoredObject` (bytes, served without parsing) or a plain object with `kind` and `apiVersion`. Every failure is an `ApiError`.
 */
export interface RESTStorage {
  /** The hub kind of reads and writes, unless a verb states another kind. */
  readonly gvk: GroupVersionKind
  readonly namespaced: boolean
  readonly singularName: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** The version of stored objects. Default: the hub. */
  readonly storedVersion?: string
  /** Columns and cells of Tables. Absent: Tables are not served. */
  readonly table?: TableConvertor | undefined
  /** Sets the fields that even an empty object of the kind has. Default: nothing. */
  fillBlank?(object: KubeObject): void
  /** Annotations that PartialObjectMetadata leaves out. Default: none. */
  readonly specAnnotations?: readonly string[] | undefined
  /** Further versions that bodies may have. They are decoded like the version of the route (evictions of policy/v1beta1). Default: none. */
  readonly alsoAccepts?: readonly GroupVersion[]
  /** Deprecation warnings of this path, by apiVersion. */
  readonly deprecations?: Readonly<Record<string, DeprecationNotice>>
  /** The quota rules for objects of this path. Absent: quotas ignore them. */
  readonly quota?: QuotaRules | undefined
  /** Fields that this path resets. Writes through it never make a manager own them. Default: none. */
  readonly resetFields?: FieldFilter | undefined
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
  /** Whether the namespace and a generated name are kept. */
  readonly exact: boolean
}
/** GET with `?export=true`, which returns the object without cluster-specific fields. */
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
  /** The continue token. Absent or "" on the last page. */
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
/** A create whose URL names the parent object: POST pods/NAME/binding. */
export interface NamedCreater {
  createNamed(context: RequestContext, name: string, object: KubeObject, options: CreateRequest): Promise<RestResult>
  /** Whether the body keeps its uid and timestamps. Default: false. */
  readonly keepsSystemFields?: boolean
}

/** Another representation of a stored object: the scale of a deployment. */
export interface ObjectView<T extends KubeObject = KubeObject> {
  /** Returns the representation that a write changes. `object` is a copy, and `write` changes it later. */
  read(object: T): KubeObject
  /** Transfers a changed representation to the object. Throws `ApiError` to refuse. */
  write(object: T, changed: KubeObject): void
  /** Returns the representation for validating admission. */
  show(object: DeepReadonly<T>): KubeObject
}

export interface UpdateRequest<T extends KubeObject = KubeObject> {
  readonly change: Change
  readonly dryRun: boolean
  /** The route of the write. Absent for internal writes, which skip managed fields and admission. */
  readonly route?: WriteRoute | undefined
  /** The write options of the client. Default: none. */
  readonly options?: WriteOptions | undefined
  /** Preconditions of the write. A PUT uses the uid of its body instead. */
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
/** PATCH, which exists wherever GET and UPDATE do, unless the definition excludes it. */
export type Patcher = Getter & Updater

export interface DeleteRequest {
  readonly options: DeleteOptions
  readonly dryRun: boolean
  /** The route of the delete. Absent for internal deletes, which skip admission. */
  readonly route?: AdmittedRoute | undefined
}
export interface DeleteResult {
  /** The last state of a removed object, or the object that still waits for its grace period or finalizers. */
  readonly object: RestResult
  /** True if the object is removed. False if the response is 202 or 200 with the waiting object. */
  readonly immediate: boolean
  /** Whether the response contains only the kind, as in a dry run that ends after removing finalizers. Default: false. */
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
  /** Whether the rows of an empty list are null. Default: false. */
  readonly nullRows?: boolean
  /** Returns the cells of one row, in the order of `columns`. */
  cells(object: DeepReadonly<KubeObject>, now: number): readonly TableCell[]
  /** Returns the conditions of a row (a completed pod). */
  conditions?(object: DeepReadonly<KubeObject>): readonly { type: string; status: string; reason?: string; message?: string }[]
}

/** A storage with any set of verbs. */
type AnyStorage =
  | RESTStorage
  | (RESTStorage &
      Partial<Getter & Lister & Watchable & Creater & NamedCreater & Updater & GracefulDeleter & CollectionDeleter & Connecter & Streamer>)
const has = (storage: object, method: string): boolean => typeof (storage as Record<string, unknown>)[method] === 'function'
export const canGet = (s: AnyStorage): s is RESTStorage & Getter => has(s, 'get')
export const canExport = (s: AnyStorage): s is RESTStorage & Exporter => has(s, 'export')
export const canList = (s: AnyStorage): s is RESTStorage & Lister => has(s, 'list')
export const canWatch = (s: AnyStorage): s is RESTStorage & Watchable => has(s, 'watch')
export const canCreate = (s: AnyStorage): s is RESTStorage & Creater => has(s, 'create')
export const canCreateNamed = (s: AnyStorage): s is RESTStorage & NamedCreater => has(s, 'createNamed')
export const canUpdate = (s: AnyStorage): s is RESTStorage & Updater => has(s, 'update')
export const canPatch = (s: AnyStorage): s is RESTStorage & Patcher => has(s, 'get') && has(s, 'update')
export const canDelete = (s: AnyStorage): s is RESTStorage & GracefulDeleter => has(s, 'delete')
export const canDeleteCollection = (s: AnyStorage): s is RESTStorage & CollectionDeleter => has(s, 'deleteCollection')
export const canConnect = (s: AnyStorage): s is RESTStorage & Connecter => has(s, 'connect')
export const canStream = (s: AnyStorage): s is RESTStorage & Streamer => has(s, 'openStream')

/** Returns the object of a result for in-process readers. It is shared and must not be changed. */
export function readResult<T extends KubeObject>(result: RestResult): DeepReadonly<T> {
  return (isStoredObject(result) ? result.object() : result) as DeepReadonly<T>
}

/** Creates the description of a path whose bodies have another kind, or whose objects are not stored. */
export function restFacts(gvk: GroupVersionKind, facts: Partial<Omit<RESTStorage, 'gvk'>> = {}): RESTStorage {
  return { gvk, namespaced: true, singularName: '', shortNames: [], categories: [], ...facts }
}
