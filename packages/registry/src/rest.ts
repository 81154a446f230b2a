import type { DeepReadonly, DeleteOptions, GroupVersion, GroupVersionKind, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { FieldFilter } from '@keelson/apimachinery/managed-fields'
import type { ObjectPreconditions, ObjectWatch, Predicate, StoredObject } from '@keelson/storagebackend'
import type { DeprecationNotice } from './deprecations.ts'
import type { Connecter, Streamer } from './connect.ts'
import type { QuotaRules } from './quota-rules.ts'
import type { AdmittedRoute, WriteOptions } from './write/attributes.ts'
import type { Change } from './write/change.ts'
import type { WriteRoute } from './write/route.ts'

/**
 * The storage behind one path ("pods", "pods/status"), as the HTTP installer serves it. Its verbs are the small interfaces that it implements
 * (`canGet(storage)` and so on). A result is a StoredObject (bytes, served by splicing) or a plain object with `kind` and `apiVersion`.
 * Every failure is an `ApiError`.
 */
export interface RESTStorage {
  /** The hub kind that is read and written, unless a verb says otherwise. */
  readonly gvk: GroupVersionKind
  readonly namespaced: boolean
  readonly singularName: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** The version that objects are stored as. Default: the hub. */
  readonly storedVersion?: string
  /** Columns and cells of the Table form. Absent: the form is not served. */
  readonly table?: TableConvertor | undefined
  /** Sets the fields that even an empty object of the kind has. Default: none. */
  fillBlank?(object: KubeObject): void
  /** Annotations that PartialObjectMetadata leaves out. Default: none. */
  readonly specAnnotations?: readonly string[] | undefined
  /** Further versions of the kind that bodies may be in, read as if they were in its own (evictions of policy/v1beta1). */
  readonly alsoAccepts?: readonly GroupVersion[]
  /** The deprecation warnings of this path, by apiVersion. */
  readonly deprecations?: Readonly<Record<string, DeprecationNotice>>
  /** How resource quotas charge for objects of this path. Absent: not at all. */
  readonly quota?: QuotaRules | undefined
  /** Fields that this path resets; writing through it never makes a manager own them. Default: none. */
  readonly resetFields?: FieldFilter | undefined
}

export type RestResult = StoredObject | KubeObject

export interface GetRequest {
  readonly resourceVersion?: string
}
export interface Getter {
  get(context: RequestContext, name: string, options: GetRequest): Promise<RestResult>
}

export interface ExportRequest {
  /** Keeps the namespace and a generated name. */
  readonly exact: boolean
}
/** GET with `?export=true`: the object without the fields that another cluster sets itself. */
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
/** A page of a list, or the deleted objects of a deletecollection. An `ObjectList` is one. */
export interface ResultList {
  readonly revision: number
  /** Absent or "" when this is the last page. */
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
  /** When the server will end the watch, in ms since the epoch. */
  readonly deadline: number
}
export interface Watchable {
  watch(context: RequestContext, options: WatchRequest, signal: AbortSignal): Promise<ObjectWatch>
}

/** Runs the validating half of admission on the final object. */
export type AdmitObject = (object: KubeObject, old: KubeObject | undefined) => Promise<void> | void

export interface CreateRequest {
  readonly dryRun: boolean
  /** Called with the object as it will be stored. */
  readonly validate?: AdmitObject
}
export interface Creater {
  create(context: RequestContext, object: KubeObject, options: CreateRequest): Promise<RestResult>
}
/** A create whose URL names the parent: POST pods/NAME/binding. */
export interface NamedCreater {
  createNamed(context: RequestContext, name: string, object: KubeObject, options: CreateRequest): Promise<RestResult>
  /** Keeps uid and times of the body. Default false. */
  readonly keepsSystemFields?: boolean
}

/** Another form of a stored object that a path serves: the scale of a deployment. */
export interface ObjectView<T extends KubeObject = KubeObject> {
  /** The form that changes apply to. `object` is a copy; it takes the changed form later. */
  read(object: T): KubeObject
  /** Carries the changed form over to the object. Throws `ApiError` to refuse. */
  write(object: T, changed: KubeObject): void
  /** The form that the validating half of admission sees. */
  show(object: DeepReadonly<T>): KubeObject
}

export interface UpdateRequest<T extends KubeObject = KubeObject> {
  readonly change: Change
  readonly dryRun: boolean
  /** The route that the write came in by. Absent: a write of the registry's own, without managed fields and admission. */
  readonly route?: WriteRoute | undefined
  /** Default: no options of the client. */
  readonly options?: WriteOptions | undefined
  /** A PUT takes the uid of its body instead. */
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
/** PATCH exists where GET and UPDATE both do, unless refused. */
export type Patcher = Getter & Updater

export interface DeleteRequest {
  readonly options: DeleteOptions
  readonly dryRun: boolean
  /** The route that the delete came in by. Absent: the registry's own, without admission. */
  readonly route?: AdmittedRoute | undefined
}
export interface DeleteResult {
  /** The last state of a removed object (`immediate`), else the object that waits for its grace period or finalizers. */
  readonly object: RestResult
  /** True: gone now. False: the answer is 202 for `orphan`-style asynchronous deletion, else 200 with the object. */
  readonly immediate: boolean
  /** A dry run that ended after removing finalizers: the response has nothing of the object except its kind. Default false. */
  readonly blank?: boolean
}
export interface GracefulDeleter {
  delete(context: RequestContext, name: string, request: DeleteRequest): Promise<DeleteResult>
  /** Some resources answer a delete with the object (pods, namespaces while terminating), the rest with a Status. */
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
  /** The rows of an empty list are null. Default false. */
  readonly nullRows?: boolean
  /** One row's cells, in the order of `columns`. */
  cells(object: DeepReadonly<KubeObject>, now: number): readonly TableCell[]
  /** Conditions of a row (a completed pod), if any. */
  conditions?(object: DeepReadonly<KubeObject>): readonly { type: string; status: string; reason?: string; message?: string }[]
}

type Any =
  | RESTStorage
  | (RESTStorage &
      Partial<Getter & Lister & Watchable & Creater & NamedCreater & Updater & GracefulDeleter & CollectionDeleter & Connecter & Streamer>)
const has = (storage: object, method: string): boolean => typeof (storage as Record<string, unknown>)[method] === 'function'
export const canGet = (s: Any): s is RESTStorage & Getter => has(s, 'get')
export const canExport = (s: Any): s is RESTStorage & Exporter => has(s, 'export')
export const canList = (s: Any): s is RESTStorage & Lister => has(s, 'list')
export const canWatch = (s: Any): s is RESTStorage & Watchable => has(s, 'watch')
export const canCreate = (s: Any): s is RESTStorage & Creater => has(s, 'create')
export const canCreateNamed = (s: Any): s is RESTStorage & NamedCreater => has(s, 'createNamed')
export const canUpdate = (s: Any): s is RESTStorage & Updater => has(s, 'update')
export const canPatch = (s: Any): s is RESTStorage & Patcher => has(s, 'get') && has(s, 'update')
export const canDelete = (s: Any): s is RESTStorage & GracefulDeleter => has(s, 'delete')
export const canDeleteCollection = (s: Any): s is RESTStorage & CollectionDeleter => has(s, 'deleteCollection')
export const canConnect = (s: Any): s is RESTStorage & Connecter => has(s, 'connect')
export const canStream = (s: Any): s is RESTStorage & Streamer => has(s, 'openStream')
