import type { ApiTypes } from '@keelson/api'
import {
  canonicalizeStruct,
  decodeStruct,
  fieldError,
  newFieldPath,
  formatGroupVersion,
  isJsonObject,
  runAfter,
  newInvalid,
  newUnknownError,
  parseGroupVersion,
  formatStrictDecodingMessage,
  stringifyJson,
} from '@keelson/apimachinery'
import type {
  AnnotationLevel,
  GroupVersion,
  GroupVersionKind,
  GroupVersionResource,
  JsonObject,
  JsonValue,
  KubeObject,
  RequestContext,
  DeleteOptions,
  FieldValidation,
  Scheme,
} from '@keelson/apimachinery'
import { sortMembers } from '@keelson/apimachinery/managed-fields'
import type { KindSchema } from '@keelson/apimachinery/managed-fields'
import type { OtherVersions } from '../resource-definition.ts'
import { formatInternalTypeName } from '../internal-type-name.ts'
import { formatNotRegistered } from '../decode/document.ts'
import { Reinvocation } from './reinvocation.ts'
import { parseApiVersion } from './route.ts'

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** An object with its kind and apiVersion, and with the fields that kube-apiserver prints although they are empty. */
export interface VersionedObject extends KubeObject {
  readonly kind: string
  readonly apiVersion: string
}

/** The new and the old object of a write in one version. */
export interface VersionedObjects {
  readonly kind: GroupVersionKind
  readonly object: VersionedObject | undefined
  readonly oldObject: VersionedObject | undefined
}

/** Options of `AdmissionAttributes.decode`. */
export interface DocumentOptions {
  /**
   * True to throw an error if the document of a built-in kind has unknown fields. Unknown fields of custom resources are always dropped. Default:
   * false, unknown fields are dropped.
   */
  readonly strict?: boolean
  /** True for a merged configuration, which kube-apiserver converts with other rules and messages than JSON. Default: false. */
  readonly converting?: boolean
  /** True to throw kube-apiserver's error if the document names another kind, which a patch can do. Default: false. */
  readonly checksKind?: boolean
}

/** Another version or another group in which the resource of a write has the same objects. */
export interface EquivalentResource {
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
}

/** The write that an admission plugin checks or changes. Its objects are in the hub version, without kind and apiVersion. */
export interface AdmissionAttributes {
  /** The request, with its user and a function for warnings (`context.warn`). */
  readonly context: RequestContext
  readonly operation: AdmissionOperation
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** The new object. Mutating plugins change the object in place. Undefined for DELETE. */
  readonly object: KubeObject | undefined
  /** The stored object, which must not be changed. */
  readonly oldObject: KubeObject | undefined
  readonly dryRun: boolean
  /**
   * The options of the operation: CreateOptions, UpdateOptions or DeleteOptions. A patch has CreateOptions if it creates the object,
   * otherwise UpdateOptions.
   */
  readonly options: Readonly<Record<string, unknown>>
  /**
   * The equivalent resources that have the subresource of the write, without the resource of the write. All writes to the same path have the
   * same array until the server serves other versions, and writes to different paths have different arrays, so it can be the key of a cache.
   */
  readonly equivalents: readonly EquivalentResource[]
  /** The state of mutating plugins that can run twice for a write. */
  readonly reinvocation: Reinvocation
  /**
   * Converts both objects to a version of their kind. Plugins must not change the results, because changes would be lost. Returns a promise
   * only if a webhook converts the objects. Throws if the kind does not have the version.
   */
  as(groupVersion: GroupVersion): VersionedObjects | Promise<VersionedObjects>
  /**
   * Decodes an object of any version of the kind from JSON. Drops fields that the version does not have, and sets no defaults. Throws an error
   * with kube-apiserver's message if a field has the wrong type.
   */
  decode(groupVersion: GroupVersion, document: JsonValue, options?: DocumentOptions): VersionedObject
  /** Returns the schemas of a version of the kind. Undefined if the kind does not have the version. */
  schemaOf(groupVersion: GroupVersion): KindSchema | undefined
  /**
   * Replaces the object by one of any version of the kind: sets the defaults of the version, and converts it to the hub version in place. The
   * argument must not be used afterwards. Only for mutating plugins, and not for DELETE. Returns a promise only if a webhook converts the
   * object.
   */
  replace(object: VersionedObject): void | Promise<void>
  /**
   * Adds an annotation to the request's audit event. `key` is qualified ("example.com/reason"). Events of a lower level than `level` do not get
   * it. Default: Metadata.
   */
  annotate(key: string, value: string, level?: AnnotationLevel): void
}

/**
 * The admission plugins of a server. `admit` and `validate` throw an `ApiError` to refuse a write. If they return a promise, it rejects
 * with the `ApiError`.
 */
export interface AdmissionChain {
  /** Returns true if any plugin handles the operation. */
  handles(this: void, operation: AdmissionOperation): boolean
  /** Runs mutating admission, before the registry prepares the object. */
  admit(attributes: AdmissionAttributes): Promise<void> | void
  /** Runs validating admission on the object that will be stored. */
  validate(attributes: AdmissionAttributes): Promise<void> | void
}

/** An admission chain without plugins. */
export const noAdmission: AdmissionChain = { handles: () => false, admit() {}, validate() {} }

/** The options of a create, an update or a patch. */
export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldManager: string
  /** Whether server-side apply takes over fields that other managers own. */
  readonly force: boolean
  readonly fieldValidation: FieldValidation
  /** The query parameter `fieldValidation`. Undefined if the request has none, so that the default applies. */
  readonly sentFieldValidation?: FieldValidation
}

/** The properties of a route that admission uses. */
export interface AdmittedRoute {
  readonly admission: AdmissionChain
  readonly scheme: Pick<Scheme, 'fromHub' | 'findHub' | 'registration' | 'setDefaults' | 'toHub'>
  readonly types: Pick<ApiTypes, 'kind'>
  /** The kind in the version that the route serves. */
  readonly gvk: GroupVersionKind
  readonly gvr: GroupVersionResource
  /** The subresource, for example "status", or "" for the resource itself. */
  readonly subresource: string
  /** The versions of the kind that other resources serve. */
  readonly otherVersions: OtherVersions | undefined
  /** Returns the equivalent resources (`AdmissionAttributes.equivalents`). */
  readonly listEquivalents: () => readonly EquivalentResource[]
}

/** A write that admission checks, without its objects. */
export interface AdmittedWrite {
  readonly route: AdmittedRoute
  readonly context: RequestContext
  /** The name of the object, or "" if the URL has none. */
  readonly name: string
  readonly dryRun: boolean
  readonly options: WriteOptions | DeleteOptions
}

/** The new and the old object of a write, for admission. */
export interface AdmittedObjects {
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  /** True if no later step changes the object, so that conversions of it can be cached. */
  readonly isFinal: boolean
}

const optionsKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

/** The attributes of one write. Options and other versions are computed on first use, because most plugins do not need them. */
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
  #versions: Map<string, VersionedObjects | Promise<VersionedObjects>> | undefined
  #reinvocation: Reinvocation | undefined

  constructor(write: AdmittedWrite, operation: AdmissionOperation, { object, oldObject, isFinal }: AdmittedObjects) {
    const { route, context, name, dryRun } = write
    this.context = context
    this.operation = operation
    this.kind = route.gvk
    this.resource = route.gvr
    this.subresource = route.subresource
    this.namespace = findNamespace(write, object ?? oldObject)
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
    const { fieldManager, sentFieldValidation } = options
    return {
      ...typed,
      ...(dryRun ? { dryRun: ['All'] } : {}),
      ...(fieldManager === '' ? {} : { fieldManager }),
      ...(sentFieldValidation !== undefined && { fieldValidation: sentFieldValidation }),
    }
  }

  get equivalents(): readonly EquivalentResource[] {
    return this.#write.route.listEquivalents()
  }

  get reinvocation(): Reinvocation {
    return (this.#reinvocation ??= new Reinvocation())
  }

  as({ group, version }: GroupVersion): VersionedObjects | Promise<VersionedObjects> {
    const versions = (this.#versions ??= new Map())
    const kind: GroupVersionKind = { group, version, kind: this.kind.kind }
    const key = formatGroupVersion(kind)
    const cached = versions.get(key)
    if (cached !== undefined && this.#isFinal) return cached
    const { object, oldObject } = this
    // Earlier plugins may have set one of two fields that mean the same.
    if (object !== undefined && !this.#isFinal) this.#normalize(object)
    const old = cached === undefined ? oldObject && this.#convert(oldObject, kind) : runAfter(cached, (earlier) => earlier.oldObject)
    const converted = runAfter(object && this.#convert(object, kind), (current) =>
      runAfter(old, (before): VersionedObjects => ({ kind, object: current, oldObject: before })),
    )
    versions.set(key, converted)
    return converted
  }

  /** Sets fields of the hub object that follow from others, as kube-apiserver's conversions do. */
  #normalize(object: KubeObject): void {
    const { scheme } = this.#write.route
    const hub = scheme.findHub(this.kind)
    if (hub !== undefined) scheme.toHub(hub, object)
  }

  /** Converts an object of the hub version. Does not change its argument. */
  #convert(object: KubeObject, kind: GroupVersionKind): VersionedObject | Promise<VersionedObject> {
    const { scheme, types, otherVersions } = this.#write.route
    const [own, wanted] = [formatGroupVersion(this.kind), formatGroupVersion(kind)]
    const withType = (converted: KubeObject): VersionedObject => {
      const type = types.kind(kind)
      const complete = type === undefined ? converted : canonicalizeStruct(type.schema, converted)
      return { kind: kind.kind, apiVersion: wanted, ...complete }
    }
    if (otherVersions !== undefined && own !== wanted && otherVersions.findSchema(wanted) !== undefined) {
      return runAfter(otherVersions.convert(object, own, wanted), withType)
    }
    if (scheme.registration(kind) === undefined && own !== wanted) throw new Error(`${kind.kind} is not served in version ${wanted}`)
    return withType(scheme.fromHub(kind, object))
  }

  decode(groupVersion: GroupVersion, document: JsonValue, options: DocumentOptions = {}): VersionedObject {
    const { strict = false, converting = false, checksKind = false } = options
    const apiVersion = formatGroupVersion(groupVersion)
    const { kind } = this.kind
    const gvk: GroupVersionKind = { ...groupVersion, kind }
    const { types, otherVersions } = this.#write.route
    if (checksKind && isJsonObject(document)) {
      if (otherVersions === undefined) refuseOtherKind(gvk, document, types)
      else refuseOtherCustomKind(gvk, document, otherVersions)
    }
    const type = this.schemaOf(groupVersion)
    if (type === undefined) throw new Error(formatNotRegistered(gvk))
    const { schema, mergeType } = type
    const isCustom = mergeType !== undefined
    const validation = strict && !isCustom ? 'Strict' : 'Ignore'
    const readable = isCustom && checksKind ? dropMalformedMetadata(schema, document) : document
    const { object, strictErrors } = decodeStruct<KubeObject>(schema, readable, { converting, strict: validation })
    type.prune?.(object, { keepsInvalidNulls: true })
    if (strictErrors.length > 0) {
      // The members of a patched document are sorted.
      const sorted = decodeStruct(schema, sortMembers(document), { strict: validation })
      throw new Error(formatStrictDecodingMessage(sorted.strictErrors))
    }
    return { kind, apiVersion, ...object, metadata: object.metadata ?? {} }
  }

  schemaOf(groupVersion: GroupVersion): KindSchema | undefined {
    const { types, otherVersions } = this.#write.route
    return types.kind({ ...groupVersion, kind: this.kind.kind }) ?? otherVersions?.findSchema(formatGroupVersion(groupVersion))
  }

  replace({ kind, apiVersion, ...object }: VersionedObject): void | Promise<void> {
    const { scheme, otherVersions } = this.#write.route
    const gvk: GroupVersionKind = { ...parseGroupVersion(apiVersion), kind }
    const groupVersion = formatGroupVersion(this.kind)
    scheme.setDefaults(gvk, object)
    const converting =
      otherVersions !== undefined && groupVersion !== apiVersion
        ? otherVersions.convert(object, apiVersion, groupVersion)
        : scheme.toHub(gvk, object)
    return runAfter(converting, (hub) => {
      const target = this.object as unknown as Record<string, unknown>
      for (const member of Object.keys(target)) delete target[member]
      Object.assign(target, hub)
    })
  }

  annotate(key: string, value: string, level?: AnnotationLevel): void {
    this.context.annotate?.(key, value, level)
  }
}

/**
 * Throws kube-apiserver's error if a document names another kind, which a patch of a webhook can do. A missing name means the expected kind.
 */
function refuseOtherKind(expected: GroupVersionKind, document: JsonObject, types: AdmittedRoute['types']): void {
  const apiVersion = toStringOr(document['apiVersion'], formatGroupVersion(expected))
  const sent: GroupVersionKind = { ...parseApiVersion(apiVersion), kind: toStringOr(document['kind'], expected.kind) }
  if (formatGroupVersion(sent) === formatGroupVersion(expected) && sent.kind === expected.kind) return
  const type = types.kind(sent)
  if (type === undefined) throw new Error(formatNotRegistered(sent))
  // kube-apiserver decodes the document as the kind that it names, so errors of that come first.
  decodeStruct(type.schema, document)
  throw newUnknownError(
    `converting (${sent.version}.${sent.kind}) to (${formatInternalTypeName({ hub: expected, type })}): unknown conversion`,
  )
}

/** Drops the metadata of a custom resource that has the wrong type. As in kube-apiserver, a patch of a webhook can set it without effect. */
function dropMalformedMetadata(schema: KindSchema['schema'], document: JsonValue): JsonValue {
  const metadata = isJsonObject(document) ? document['metadata'] : undefined
  if (!isJsonObject(document) || metadata === undefined || !isJsonObject(metadata)) return document
  const isReadable = ([member, value]: readonly [string, JsonValue]): boolean => {
    try {
      decodeStruct(schema, { metadata: { [member]: value } })
      return true
    } catch {
      return false
    }
  }
  return { ...document, metadata: Object.fromEntries(Object.entries(metadata).filter(isReadable)) }
}

/** Throws kube-apiserver's error if a document of a custom resource has no kind, another one, or one of another group. */
function refuseOtherCustomKind(expected: GroupVersionKind, document: JsonObject, otherVersions: OtherVersions): void {
  const { group, kind } = expected
  const sent = toStringOr(document['kind'], '')
  if (sent === '') {
    const sorted = Object.fromEntries(Object.entries(document).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    throw new Error(`Object 'Kind' is missing in '${stringifyJson(sorted)}'`)
  }
  if (sent === kind) {
    const [wanted, apiVersion] = [formatGroupVersion(expected), toStringOr(document['apiVersion'], '')]
    if (apiVersion === wanted || otherVersions.findSchema(apiVersion) !== undefined) return
    const actual = apiVersion === '' ? '/' : apiVersion
    throw newUnknownError(`${actual}, Kind=${kind} is unstructured and is not suitable for converting to ${JSON.stringify(wanted)}`)
  }
  const metadata = document['metadata']
  const name = isJsonObject(metadata) ? toStringOr(metadata['name'], '') : ''
  throw newInvalid({ group, kind: sent }, name, [fieldError.invalid(newFieldPath('kind'), sent, `must be ${kind}`)])
}

function toStringOr(value: JsonValue | undefined, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback
}

/** Returns the namespace of a write for admission. For a write to a Namespace, that is the Namespace itself. */
function findNamespace({ route, context, name }: AdmittedWrite, object: KubeObject | undefined): string {
  if (route.gvr.group === '' && route.gvr.resource === 'namespaces') return name || (object?.metadata?.name ?? '')
  return context.namespace
}

/** Runs mutating admission on the object of a write, before the registry prepares the object. */
export function mutate(
  write: AdmittedWrite,
  operation: AdmissionOperation,
  object: KubeObject,
  oldObject: KubeObject | undefined,
): Promise<void> | void {
  const chain = write.route.admission
  if (chain.handles(operation)) return chain.admit(new WriteAttributes(write, operation, { object, oldObject, isFinal: false }))
}

/** Runs validating admission on the object that will be stored. */
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
  /** The options, with the grace period that the kind sets. */
  readonly options: DeleteOptions
  readonly request: {
    readonly options: DeleteOptions
    readonly dryRun: boolean
    readonly route?: AdmittedRoute | undefined
    /** Present if the delete is part of the delete of a collection. */
    readonly turn?: AdmissionTurn
  }
}

/** The turn of an object in the delete of a collection. The delete of the object must call `begin` before admission, and `end` once. */
export interface AdmissionTurn {
  /** Resolves when the turn comes. Rejects if the delete of an earlier object has failed. */
  begin(): Promise<void>
  /** Ends the turn, so that admission can begin for the next object. Further calls have no effect. */
  end(): void
}

/**
 * Runs mutating and validating admission for a delete. A delete has no new object. As in kube-apiserver, a delete of a collection has no name
 * either, and the options of the request.
 */
export async function admitDelete({ context, name, options, request }: AdmittedDelete, oldObject: KubeObject): Promise<void> {
  const { route, dryRun, turn } = request
  if (route === undefined || !route.admission.handles('DELETE')) return
  if (turn !== undefined) await turn.begin()
  const identity = turn === undefined ? { name, options } : { name: '', options: request.options }
  const write: AdmittedWrite = { route, context, dryRun, ...identity }
  const attributes = new WriteAttributes(write, 'DELETE', { object: undefined, oldObject, isFinal: true })
  const admitting = runAfter(route.admission.admit(attributes), () => route.admission.validate(attributes))
  // Webhooks must see one object after the other. Without them, nothing shows the order.
  if (admitting === undefined) turn?.end()
  else await admitting
}

/** Runs mutating and validating admission for a connection (pods/exec). The connection's options are the new object. */
export async function admitConnect(route: AdmittedRoute, context: RequestContext, name: string, options: KubeObject): Promise<void> {
  if (!route.admission.handles('CONNECT')) return
  const write: AdmittedWrite = { route, context, name, dryRun: false, options: {} }
  const attributes = new WriteAttributes(write, 'CONNECT', { object: options, oldObject: undefined, isFinal: false })
  await route.admission.admit(attributes)
  await route.admission.validate(attributes)
}
