import {
  decodeStruct,
  getJsonType,
  fieldError,
  formatGroupVersion,
  newFieldPath,
  isApiError,
  runAfter,
  getErrorMessage,
  newInternal,
  newInvalid,
  parseGroupVersion,
  parseJson,
  pauseIfLong,
  formatStrictDecodingMessage,
  copyEmptyMarks,
  copyObject,
  isJsonObject,
  setOwn,
  stringifyJson,
} from '@keelson/apimachinery'
import type {
  Decoded,
  FieldValidation,
  GroupVersionKind,
  JsonObject,
  JsonValue,
  KubeObject,
  RequestContext,
  DecodeOptions,
  FieldErrorList,
  StructSchema,
} from '@keelson/apimachinery'
import { parseApiVersion } from '../write/route.ts'
import type { WriteRoute } from '../write/route.ts'
import { isCustomRoute, pruneUnknown } from '../decode/body.ts'
import type { DecodedBody } from '../decode/body.ts'
import { formatNotRegistered } from '../decode/document.ts'
import { checkName, ensureNamespace, newMissingNameError } from '../write/change.ts'

interface PatchedDocument {
  readonly patched: JsonValue
  readonly current: KubeObject
  readonly patchErrors: readonly string[]
  /** Returns the patched document as text for error messages. */
  readonly printPatch: () => string | Promise<string>
  /** True for strategic merge patches, which are applied to objects instead of JSON. The result then always has the right kind. */
  readonly converting: boolean
}

/**
 * Decodes a patched document into an object of the route's version. Throws 422 with an error for the field `patch` if the document is
 * invalid. Returns a promise only if decoding or printing the document takes long.
 */
export function decodePatched(
  route: WriteRoute,
  context: RequestContext,
  document: PatchedDocument,
  validation: FieldValidation,
): DecodedBody | Promise<DecodedBody> {
  const { current, patchErrors, printPatch, converting } = document
  const patchedObject = document.patched as JsonObject
  const throwInvalidPatch = (message: string): Promise<never> | never =>
    runAfter(printPatch(), (text): never => {
      throw newInvalid({ group: '', kind: '' }, '', [fieldError.invalid(newFieldPath('patch'), text, message)])
    })
  const rejectOrWarn = (errors: readonly string[], continueDecoding: () => DecodedBody): DecodedBody | Promise<DecodedBody> => {
    if (errors.length > 0 && validation === 'Strict') return throwInvalidPatch(formatStrictDecodingMessage(errors))
    if (validation === 'Warn') for (const error of errors) context.warn(error)
    return continueDecoding()
  }
  const custom = isCustomRoute(route) ? readOtherKind(route, patchedObject) : undefined
  if (custom?.problem !== undefined) return throwInvalidPatch(custom.problem)
  if (custom?.kind === '') return runAfter(printPatch(), (text) => throwInvalidPatch(`Object 'Kind' is missing in '${text}'`))
  if (custom !== undefined && patchedObject['apiVersion'] === null) {
    return throwInvalidPatch('.apiVersion accessor error: <nil> is of the type <nil>, expected string')
  }
  const kind = converting ? 'right' : readPatchedKind(route, patchedObject)
  if (kind === 'unversioned') {
    return rejectOrWarn([...patchErrors, ...listUnknownMembers(patchedObject)], () => {
      throw newMissingNameError(current.metadata.name ?? '')
    })
  }
  if (kind !== 'right') return throwInvalidPatch(kind.mismatch)
  const patched = withKind(route, patchedObject)
  const { type } = route
  let decoded: Decoded<KubeObject>
  const startTime = performance.now()
  try {
    decoded = type
      ? decodeChanged(type.schema, patched, current, { strict: validation, converting })
      : { object: patched as unknown as KubeObject, strictErrors: [] }
  } catch (error) {
    const message = getErrorMessage(error)
    return runAfter(pauseIfLong(startTime), () =>
      converting || type === undefined
        ? throwInvalidPatch(message)
        : runAfter(printPatch(), (text) =>
            runAfter(pauseIfLong(startTime), () =>
              throwInvalidPatch(catchError(() => decodeStruct(type.schema, parseJson(text))) ?? message),
            ),
          ),
    )
  }
  const { object, strictErrors, emptied } = decoded
  let unknown: readonly string[] = []
  try {
    if (custom !== undefined) unknown = pruneCustom(route, custom, object)
    else if (type !== undefined) unknown = pruneUnknown(type, object)
  } catch (error) {
    if (isApiError(error)) throw error
    return throwInvalidPatch(getErrorMessage(error))
  }
  return runAfter(converting ? strictErrors : sortInPrintedOrder(route, strictErrors, printPatch), (errors) =>
    rejectOrWarn([...patchErrors, ...errors, ...unknown], () => {
      if (custom !== undefined) checkCustomKind(route, context, { custom, object, name: current.metadata.name ?? '' })
      if (!emptied || type === undefined) return { object, withEmptyLists: undefined }
      const withEmptyLists = decodeStruct<KubeObject>(type.schema, patched, { keepEmptyLists: true, converting }).object
      pruneUnknown(type, withEmptyLists)
      return { object, withEmptyLists }
    }),
  )
}

function catchError(decode: () => unknown): string | undefined {
  try {
    decode()
    return undefined
  } catch (error) {
    return getErrorMessage(error)
  }
}

/** Returns the strict decoding errors of a patched document in the order in which kube-apiserver reports them. */
function sortInPrintedOrder(
  { type }: WriteRoute,
  errors: readonly string[],
  printed: PatchedDocument['printPatch'],
): readonly string[] | Promise<readonly string[]> {
  if (errors.length < 2 || type === undefined) return errors
  return runAfter(printed(), (text) => decodeStruct(type.schema, parseJson(text), { strict: 'Strict' }).strictErrors)
}

/** Returns an "unknown field" error for each member of a document that is not decoded because its kind is wrong. */
function listUnknownMembers(patched: JsonObject, knownNames: readonly string[] = ['apiVersion', 'kind']): readonly string[] {
  const names = Object.keys(patched).filter((name) => !knownNames.includes(name))
  return names.sort().map((name) => `unknown field ${JSON.stringify(name)}`)
}

/**
 * The result of comparing the kind of a patched document with the kind of the route. kube-apiserver decodes no fields of a document without
 * a version.
 */
type PatchedKind = 'right' | 'unversioned' | { readonly mismatch: string }

function readPatchedKind(route: WriteRoute, patched: JsonObject): PatchedKind {
  const sentTypeMeta = { apiVersion: '', kind: '' }
  for (const member of ['apiVersion', 'kind'] as const) {
    const value = patched[member] ?? ''
    if (typeof value !== 'string') return { mismatch: `couldn't get version/kind; json parse error: ${formatNotString(value, member)}` }
    sentTypeMeta[member] = value
  }
  const kind = sentTypeMeta.kind || route.gvk.kind
  if (isCustomRoute(route)) return 'right'
  if (sentTypeMeta.apiVersion === '') return kind === route.gvk.kind ? 'unversioned' : { mismatch: describeUnknownKind(route, kind) }
  const gvk = { ...parseApiVersion(sentTypeMeta.apiVersion), kind }
  if (gvk.kind === route.gvk.kind && sentTypeMeta.apiVersion === route.apiVersion) return 'right'
  const mismatch =
    route.types.kind(gvk) === undefined
      ? formatNotRegistered(gvk)
      : `unable to decode ${sentTypeMeta.apiVersion}, Kind=${gvk.kind} into *${route.gvk.version}.${route.gvk.kind}`
  return { mismatch }
}

/** Kind and version of a patched custom resource. */
interface CustomKind extends GroupVersionKind {
  /** The error for a document that is not decoded. */
  readonly problem?: string
}

/** Reads the kind and version of a patched custom resource. Returns undefined if both are right, or if one is not a string. */
function readOtherKind(route: WriteRoute, patched: JsonObject): CustomKind | undefined {
  const { kind = null, apiVersion } = patched
  if (kind === route.gvk.kind && apiVersion === route.apiVersion) return undefined
  if (typeof (kind ?? '') !== 'string' || typeof (apiVersion ?? '') !== 'string') return undefined
  const version = { group: '', version: '', kind: (kind ?? '') as string }
  try {
    return { ...version, ...parseGroupVersion((apiVersion ?? '') as string) }
  } catch (error) {
    return { ...version, problem: getErrorMessage(error) }
  }
}

/**
 * Prunes a patched custom resource by the schema of its own version, as kube-apiserver does before it checks the version. In an unknown version
 * all fields are unknown. Fields of an object of another kind are dropped without errors.
 */
function pruneCustom({ type, types, gvk }: WriteRoute, { group, version, kind }: CustomKind, object: KubeObject): readonly string[] {
  const isOther = group !== gvk.group || kind !== gvk.kind
  const versionType = isOther || version === gvk.version ? type : types.kind({ group, version, kind })
  if (isOther) {
    if (versionType !== undefined) pruneUnknown(versionType, object)
    return []
  }
  if (versionType !== undefined) return pruneUnknown(versionType, object)
  const members = object as unknown as JsonObject
  const knownNames = ['apiVersion', 'kind', 'metadata']
  const errors = listUnknownMembers(members, knownNames)
  for (const name of Object.keys(members)) if (!knownNames.includes(name)) delete members[name]
  return errors
}

/**
 * Throws the error for a custom resource with another kind or version, after those of its name and namespace. kube-apiserver reports none for
 * subresources, which ignore both.
 */
function checkCustomKind(
  route: WriteRoute,
  context: RequestContext,
  { custom, object, name }: { readonly custom: CustomKind; readonly object: KubeObject; readonly name: string },
): void {
  const { group, version, kind } = custom
  const errors: FieldErrorList = []
  if (kind !== route.gvk.kind) errors.push(fieldError.invalid(newFieldPath('kind'), kind, `must be ${route.gvk.kind}`))
  const apiVersion = formatGroupVersion(custom)
  if (apiVersion !== route.apiVersion)
    errors.push(fieldError.invalid(newFieldPath('apiVersion'), apiVersion, `must be ${route.apiVersion}`))
  if (errors.length === 0) return
  ensureNamespace(object, route, context.namespace)
  checkName(object, name)
  if (version === '') throw newInternal(`Object 'apiVersion' is missing in 'object has no apiVersion field'`)
  if (route.subresource === '') throw newInvalid({ group, kind }, name, errors)
}

/**
 * Returns the error for a patched document with another kind and no version. kube-apiserver then looks the kind up in the group's internal
 * version.
 */
function describeUnknownKind({ gvk, types }: WriteRoute, kind: string): string {
  const { group } = gvk
  if (types.kind({ ...gvk, kind }) === undefined) {
    return `no kind ${JSON.stringify(kind)} is registered for the internal version of group ${JSON.stringify(group)} in scheme "pkg/api/legacyscheme/scheme.go:30"`
  }
  const packageName = group === '' ? 'core' : group.split('.', 1)[0]
  return `converting (${packageName}.${kind}) to (${packageName}.${gvk.kind}): unknown conversion`
}

function formatNotString(value: JsonValue, member: string): string {
  return `json: cannot unmarshal ${getJsonType(value)} into Go struct field .${member} of type string`
}

/**
 * Returns the document with the route's kind and apiVersion. A kind or apiVersion that is not a string stays, so that decoding reports it.
 */
function withKind(route: WriteRoute, patched: JsonObject): JsonObject {
  const isText = (value: unknown): boolean => typeof (value ?? '') === 'string'
  if (!isText(patched['kind']) || !isText(patched['apiVersion'])) return patched
  if (patched['kind'] === route.gvk.kind && patched['apiVersion'] === route.apiVersion) return patched
  return { ...patched, kind: route.gvk.kind, apiVersion: route.apiVersion }
}

/**
 * Decodes a document that was patched from `current`, an object of the same schema. Only changed members are decoded. Unchanged members are
 * copied from `current`, and so are the unchanged entries of string maps. Managed fields are shared instead of copied, because no code
 * changes them in place.
 */
export function decodeChanged(schema: StructSchema, changed: JsonObject, current: KubeObject, options: DecodeOptions): Decoded<KubeObject> {
  const members = split(schema, changed, current as unknown as JsonObject)
  const decoded = members.hasUnchanged ? decodeRest(schema, members.rest, options) : undefined
  // Decode the whole document, so that its errors are complete and in the usual order.
  if (decoded === undefined || decoded.strictErrors.length > 0) return decodeWhole(schema, changed, options)
  return { ...decoded, object: mergeMembers(schema, members, decoded.object as unknown as JsonObject) as unknown as KubeObject }
}

function decodeRest(schema: StructSchema, rest: JsonObject, options: DecodeOptions): Decoded<KubeObject> | undefined {
  try {
    return decodeWhole(schema, rest, options)
  } catch {
    return undefined
  }
}

/** Decodes a document through its JSON text, so that numbers get the same format as in stored objects. */
function decodeWhole(schema: StructSchema, value: JsonObject, options: DecodeOptions): Decoded<KubeObject> {
  return decodeStruct<KubeObject>(schema, parseJson(stringifyJson(value)), { ...options, owned: true })
}

/** The members of a struct, divided into unchanged members and members to decode. */
interface MemberSplit {
  readonly unchanged: ReadonlyMap<string, JsonValue>
  readonly inner: ReadonlyMap<string, MemberSplit>
  /** String maps with unchanged entries, as they are after the patch. */
  readonly texts: ReadonlyMap<string, JsonObject>
  readonly rest: JsonObject
  /** True if the struct or a struct inside it has an unchanged member. */
  readonly hasUnchanged: boolean
}

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion'])
const allChanged: MemberSplit = { unchanged: new Map(), inner: new Map(), texts: new Map(), rest: {}, hasUnchanged: false }

function split(schema: StructSchema, changed: JsonObject, current: JsonObject): MemberSplit {
  const unchanged = new Map<string, JsonValue>()
  const inner = new Map<string, MemberSplit>()
  const texts = new Map<string, JsonObject>()
  const changedMembers: JsonObject = {}
  for (const name of Object.keys(changed)) {
    const value = changed[name]!
    const currentValue = Object.hasOwn(current, name) ? current[name] : undefined
    const type = schema.byName.get(name)?.type
    if (type === undefined && !typeMeta.has(name)) return allChanged
    if (type === undefined || typeof value !== 'object' || value === null) changedMembers[name] = value
    else if (value === currentValue) unchanged.set(name, value)
    else if (type.kind === 'struct' && isJsonObject(value) && isJsonObject(currentValue)) {
      const members = split(type, value, currentValue)
      if (members.hasUnchanged) inner.set(name, members)
      changedMembers[name] = members.hasUnchanged ? members.rest : value
    } else if (type.kind === 'map' && type.values.kind === 'string' && isJsonObject(value) && isJsonObject(currentValue)) {
      const changedTexts = findChangedEntries(value, currentValue)
      if (changedTexts !== value) texts.set(name, value)
      if (changedTexts !== undefined) changedMembers[name] = changedTexts
    } else changedMembers[name] = value
  }
  return { unchanged, inner, texts, rest: changedMembers, hasUnchanged: unchanged.size > 0 || inner.size > 0 || texts.size > 0 }
}

/** Returns the entries of `map` that differ from `before`. Returns `map` itself if all entries differ, and undefined if none does. */
function findChangedEntries(map: JsonObject, before: JsonObject): JsonObject | undefined {
  let changedTexts: JsonObject | undefined
  let unchanged = 0
  for (const key in map) {
    const value = map[key]!
    if (typeof value === 'string' && Object.hasOwn(before, key) && before[key] === value) unchanged++
    else setOwn((changedTexts ??= {}), key, value)
  }
  return unchanged === 0 ? map : changedTexts
}

/** Merges the unchanged members of a struct with the decoded ones, in the schema order that decoding uses. */
function mergeMembers(schema: StructSchema, { unchanged, inner, texts }: MemberSplit, decoded: JsonObject): JsonObject {
  const merged: JsonObject = {}
  for (const { name, type } of schema.fields) {
    const value = unchanged.get(name)
    const members = inner.get(name)
    const map = texts.get(name)
    if (value !== undefined) merged[name] = name === 'managedFields' ? value : copyObject(value)
    else if (members !== undefined) merged[name] = mergeMembers(type as StructSchema, members, (decoded[name] ?? {}) as JsonObject)
    else if (map !== undefined) merged[name] = mergeTexts(map, decoded[name] ?? {})
    else if (decoded[name] !== undefined) merged[name] = decoded[name]
  }
  return copyEmptyMarks(merged, decoded)
}

/** Merges the unchanged entries of a string map with the decoded ones, sorted by key as after decoding. */
function mergeTexts(map: JsonObject, decoded: JsonValue): JsonObject {
  const changedTexts = decoded as JsonObject
  const merged: JsonObject = {}
  for (const key of Object.keys(map).sort()) setOwn(merged, key, Object.hasOwn(changedTexts, key) ? changedTexts[key] : map[key])
  return merged
}
