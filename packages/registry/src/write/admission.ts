import { formatGroupVersion } from '@keelson/apimachinery'
import type {
  GroupVersion,
  GroupVersionKind,
  GroupVersionResource,
  KubeObject,
  RequestContext,
  DeleteOptions,
  FieldValidation,
  Scheme,
} from '@keelson/apimachinery'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** The objects of a write in one version, without kind and apiVersion. */
export interface VersionedObjects {
  readonly kind: GroupVersionKind
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

/** One write for admission plugins. Its objects are in the hub version, without kind and apiVersion. */
export interface AdmissionAttributes {
  /** The request, with its user and a function for warnings (`context.warn`). */
  readonly context: RequestContext
  readonly operation: AdmissionOperation
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** The new object. Mutating plugins change it in place. Undefined for DELETE. */
  readonly object: KubeObject | undefined
  /** The stored object, which must not be changed. */
  readonly oldObject: KubeObject | undefined
  readonly dryRun: boolean
  /** The options of the operation: CreateOptions, UpdateOptions or DeleteOptions. A patch has UpdateOptions, or CreateOptions if it creates. */
  readonly options: Readonly<Record<string, unknown>>
  /**
   * Converts both objects to another version of their kind. The results must not be changed, since they are not converted back. Throws if the version
   * is not served.
   */
  as(groupVersion: GroupVersion): VersionedObjects
  /** Adds an annotation with a qualified key to the request's audit event. */
  annotate(key: string, value: string): void
}

/** The admission plugins of a server. Both steps throw an `ApiError` to refuse, or reject if they have to wait. */
export interface AdmissionChain {
  /** Returns false if no plugin handles the operation. */
  handles(this: void, operation: AdmissionOperation): boolean
  /** Runs mutating admission, before the registry prepares the object. */
  admit(attributes: AdmissionAttributes): Promise<void> | void
  /** Runs validating admission on the final object. */
  validate(attributes: AdmissionAttributes): Promise<void> | void
}

/** An admission chain without plugins. */
export const noAdmission: AdmissionChain = { handles: () => false, admit() {}, validate() {} }

/** The options of a create, an update or a patch. */
export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldManager: string
  /** Server-side apply takes over fields of other managers. */
  readonly force: boolean
  readonly fieldValidation: FieldValidation
}

/** The properties of a route that admission uses. */
export interface AdmittedRoute {
  readonly admission: AdmissionChain
  readonly scheme: Pick<Scheme, 'fromHub' | 'registration'>
  /** The kind in the version that the route serves. */
  readonly gvk: GroupVersionKind
  readonly gvr: GroupVersionResource
  /** "" or "status". */
  readonly subresource: string
}

/** A write for admission, without its objects. */
export interface AdmittedWrite {
  readonly route: AdmittedRoute
  readonly context: RequestContext
  /** The object's name. "" if the body or the registry sets it. */
  readonly name: string
  readonly dryRun: boolean
  readonly options: WriteOptions | DeleteOptions
}

/** The objects of a write for admission. */
export interface AdmittedObjects {
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  /** True if the object no longer changes, so conversions of it are cached. */
  readonly isFinal: boolean
}

const optionsKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

/** The attributes of one write. Options and versions are computed on demand, because most plugins do not use them. */
export class WriteAttributes implements AdmissionAttributes {
  readonly context: RequestContext
  readonly operation: AdmissionOperation
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly dryRun: boolean
  readonly #write: AdmittedWrite
  readonly #isFinal: boolean
  #versions: Map<string, VersionedObjects> | undefined

  constructor(write: AdmittedWrite, operation: AdmissionOperation, { object, oldObject, isFinal }: AdmittedObjects) {
    const { route, context, name, dryRun } = write
    this.context = context
    this.operation = operation
    this.kind = route.gvk
    this.resource = route.gvr
    this.subresource = route.subresource
    this.namespace = namespaceOf(write, object ?? oldObject)
    this.name = name || (object?.metadata?.name ?? '')
    this.object = object
    this.oldObject = oldObject
    this.dryRun = dryRun
    this.#write = write
    this.#isFinal = isFinal
  }

  get options(): Readonly<Record<string, unknown>> {
    const { operation } = this
    if (operation === 'CONNECT') return {}
    const { dryRun, options } = this.#write
    const typed = { kind: optionsKinds[operation], apiVersion: 'meta.k8s.io/v1' }
    if (!('fieldValidation' in options)) return { ...typed, ...options }
    const { fieldManager, fieldValidation } = options
    return { ...typed, ...(dryRun ? { dryRun: ['All'] } : {}), ...(fieldManager === '' ? {} : { fieldManager }), fieldValidation }
  }

  as(groupVersion: GroupVersion): VersionedObjects {
    const versions = (this.#versions ??= new Map())
    const key = formatGroupVersion(groupVersion)
    const known = versions.get(key)
    if (known !== undefined && this.#isFinal) return known
    const { scheme } = this.#write.route
    const { group, version } = groupVersion
    const kind: GroupVersionKind = { group, version, kind: this.kind.kind }
    if (scheme.registration(kind) === undefined && key !== formatGroupVersion(this.kind)) {
      throw new Error(`${kind.kind} is not served in version ${key}`)
    }
    const { object, oldObject } = this
    const versioned: VersionedObjects = {
      kind,
      object: object && scheme.fromHub(kind, object),
      oldObject: known === undefined ? oldObject && scheme.fromHub(kind, oldObject) : known.oldObject,
    }
    versions.set(key, versioned)
    return versioned
  }

  annotate(key: string, value: string): void {
    this.context.annotate?.(key, value)
  }
}

/** Returns the namespace of a write. A namespace belongs to itself. */
function namespaceOf({ route, context, name }: AdmittedWrite, object: KubeObject | undefined): string {
  if (route.gvr.group === '' && route.gvr.resource === 'namespaces') return name || (object?.metadata?.name ?? '')
  return context.namespace
}

/** Runs mutating admission, before the registry prepares the object. */
export function mutate(
  write: AdmittedWrite,
  operation: AdmissionOperation,
  object: KubeObject,
  oldObject: KubeObject | undefined,
): Promise<void> | void {
  const chain = write.route.admission
  if (chain.handles(operation)) return chain.admit(new WriteAttributes(write, operation, { object, oldObject, isFinal: false }))
}

/** Runs validating admission on the final object. */
export function validate(
  write: AdmittedWrite,
  operation: AdmissionOperation,
  object: KubeObject,
  oldObject: KubeObject | undefined,
): Promise<void> | void {
  const chain = write.route.admission
  if (chain.handles(operation)) return chain.validate(new WriteAttributes(write, operation, { object, oldObject, isFinal: true }))
}

interface AdmittedDelete {
  readonly context: RequestContext
  readonly name: string
  readonly request: { readonly options: DeleteOptions; readonly dryRun: boolean; readonly route?: AdmittedRoute | undefined }
}

/** Runs both steps of admission for a delete, which has no new object. */
export async function admitDelete({ context, name, request }: AdmittedDelete, oldObject: KubeObject): Promise<void> {
  const { route, dryRun, options } = request
  if (route === undefined || !route.admission.handles('DELETE')) return
  const write: AdmittedWrite = { route, context, name, dryRun, options }
  const attributes = new WriteAttributes(write, 'DELETE', { object: undefined, oldObject, isFinal: true })
  await route.admission.admit(attributes)
  await route.admission.validate(attributes)
}

/** Runs both steps of admission for the options of a connection. */
export async function admitConnect(route: AdmittedRoute, context: RequestContext, name: string, options: KubeObject): Promise<void> {
  if (!route.admission.handles('CONNECT')) return
  const write: AdmittedWrite = { route, context, name, dryRun: false, options: {} }
  const attributes = new WriteAttributes(write, 'CONNECT', { object: options, oldObject: undefined, isFinal: false })
  await route.admission.admit(attributes)
  await route.admission.validate(attributes)
}
