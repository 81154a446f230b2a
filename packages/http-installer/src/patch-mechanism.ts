import {
  decodeStruct,
  describeJson,
  fieldError,
  fieldPath,
  newGenericServerResponse,
  newInvalid,
  newNotFound,
  parseJson,
  strictDecodingMessage,
} from '@keelson/apimachinery'
import type { Decoded, FieldValidation, JsonObject, JsonValue, KubeObject, RequestContext } from '@keelson/apimachinery'
import {
  applyJsonPatchInSlices,
  applyMergePatch,
  applyStrategicMergePatch,
  decodeJsonPatch,
  decodeMergePatch,
  decodeStrategicMergePatch,
} from '@keelson/apimachinery/patch'
import type { CborCodec } from './cbor/cbor-codec.ts'
import { messageOf, notRegistered } from './decode-document.ts'
import { parseYaml } from '@keelson/apimachinery/yaml'
import type { ParsedYaml } from '@keelson/apimachinery/yaml'
import { decodeChanged } from './decode-changed.ts'
import { toHub } from './decode-body.ts'
import type { DecodedBody } from './decode-body.ts'
import { keepReset, trackManagers } from './managed-fields.ts'
import { nameMissing } from './object-meta.ts'
import { cborApplyPatchType, isApply } from './patch-types.ts'
import type { MergePatchType } from './patch-types.ts'
import { printedJsonPatched, printedMergePatched, printedStrategicPatch } from './printed-patched.ts'
import type { PrintPatched } from './printed-patched.ts'
import type { WriteRequestOptions } from './query-options.ts'
import { cborConfiguration, readConfiguration } from './read-configuration.ts'
import { parseApiVersion } from './scope.ts'
import type { ResourceScope } from './scope.ts'
import { fromHub } from './versioned.ts'

/** A promise where it takes long. */
type Merge = (document: JsonObject, scope: ResourceScope, context: RequestContext) => JsonValue | Promise<JsonValue>
interface ReadPatch {
  readonly strictErrors: readonly string[]
  readonly merge: Merge
  /** What errors say was patched. */
  readonly print: PrintPatched
  /** Makes an object of objects rather than of JSON: errors are about the patch. */
  readonly converting: boolean
}

const readers: Readonly<Record<MergePatchType, (body: Uint8Array, strict: FieldValidation) => ReadPatch>> = {
  'application/json-patch+json'(body, strict) {
    const { operations, strictErrors } = decodeJsonPatch(body, strict)
    return {
      strictErrors,
      merge: (document, _, context) => applyJsonPatchInSlices(document, operations, () => context.signal),
      print: printedJsonPatched(operations),
      converting: false,
    }
  },
  'application/merge-patch+json'(body, strict) {
    const { patch, strictErrors } = decodeMergePatch(body, strict)
    return { strictErrors, merge: (document) => applyMergePatch(document, patch), print: printedMergePatched(patch), converting: false }
  },
  'application/strategic-merge-patch+json'(body, strict) {
    const { patch, strictErrors } = decodeStrategicMergePatch(body, strict)
    return {
      strictErrors,
      merge: (document, scope) => applyStrategicMergePatch(document, patch, schemaOf(scope)),
      print: printedStrategicPatch(patch),
      converting: true,
    }
  },
}

/** Makes the patched hub object of the current one. A promise where it takes long. */
export type ApplyPatch = (current: KubeObject | undefined) => KubeObject | Promise<KubeObject>

export interface PatchRequest {
  readonly scope: ResourceScope
  readonly context: RequestContext
  readonly patchType: string
  readonly body: Uint8Array
  readonly cbor: CborCodec | undefined
  /** As in `SentBody`. */
  readonly yaml: (() => ParsedYaml) | undefined
  readonly options: WriteRequestOptions
}

/** Throws what is wrong with the patch alone only when it is applied: an object that is absent comes first. */
export function patchMechanism(request: PatchRequest): ApplyPatch {
  return isApply(request.patchType) ? applyMechanism(request) : mergeMechanism(request)
}

function mergeMechanism({ scope, context, patchType, body, options }: PatchRequest): ApplyPatch {
  const { fieldValidation } = options
  return (current) => {
    if (current === undefined) throw newNotFound(scope.groupResource, context.info.name)
    const { strictErrors, merge, print, converting } = readers[patchType as MergePatchType](body, fieldValidation)
    const versioned = fromHub(scope, current)
    const document = { kind: scope.gvk.kind, apiVersion: scope.apiVersion, ...versioned } as unknown as JsonObject
    const finish = (patched: JsonValue): KubeObject => {
      const printed = (): string => print(document, scope.type?.schema)
      const result = { patched, current: versioned, patchErrors: strictErrors, printed, converting }
      const decoded = decodePatched(scope, context, result, fieldValidation)
      keepReset(patched, decoded.object)
      const object = toHub(scope, decoded.object)
      trackManagers(scope, context, current, { object, sent: decoded.sent && toHub(scope, decoded.sent) })
      return object
    }
    const merged = merge(document, scope, context)
    return merged instanceof Promise ? merged.then(finish) : finish(merged)
  }
}

function applyMechanism({ scope, context, patchType, body, cbor, yaml, options }: PatchRequest): ApplyPatch {
  const { fieldManager } = scope
  // Kinds without generated types have no schema to merge by.
  if (fieldManager === undefined) throw unsupported()
  return (current) => {
    const { config, check } =
      patchType === cborApplyPatchType ? cborConfiguration(body, cbor!) : readConfiguration(yaml ?? (() => parseYaml(body)))
    const object = fieldManager.apply(current, config, options.fieldManager, options.force)
    check(options.fieldValidation, (text) => context.warn(text))
    return object
  }
}

function schemaOf({ type }: ResourceScope): NonNullable<ResourceScope['type']>['schema'] {
  // Kinds without generated types have no schema to merge by.
  if (type === undefined) throw unsupported()
  return type.schema
}

function unsupported(): Error {
  return newGenericServerResponse(415, '', { group: '', resource: '' }, '', { serverMessage: '415: Unsupported Media Type' })
}

interface PatchedDocument {
  readonly patched: JsonValue
  readonly current: KubeObject
  readonly patchErrors: readonly string[]
  /** What errors call the patch. */
  readonly printed: () => string
  /** An object that was made of objects need not say its kind again. */
  readonly converting: boolean
}

/** The patched document as a versioned object; what does not fit is the patch's fault. */
function decodePatched(scope: ResourceScope, context: RequestContext, document: PatchedDocument, validation: FieldValidation): DecodedBody {
  const { current, patchErrors, printed, converting } = document
  const invalid = (message: string): Error =>
    newInvalid({ group: '', kind: '' }, '', [fieldError.invalid(fieldPath('patch'), printed(), message)])
  const strict = (errors: readonly string[]): void => {
    if (errors.length > 0 && validation === 'Strict') throw invalid(strictDecodingMessage(errors))
    if (validation === 'Warn') for (const error of errors) context.warn(error)
  }
  if (!converting && !checkKind(scope, document.patched as JsonObject, invalid)) {
    strict([...patchErrors, ...unknownMembers(document.patched as JsonObject)])
    throw nameMissing(current.metadata.name ?? '')
  }
  const patched = ofKind(scope, document.patched as JsonObject)
  const { type } = scope
  let decoded: Decoded<KubeObject>
  try {
    decoded = type
      ? decodeChanged(type.schema, patched, current, { strict: validation, converting })
      : { object: patched as unknown as KubeObject, strictErrors: [] }
  } catch (error) {
    throw invalid(messageOf(error))
  }
  strict([...patchErrors, ...(converting ? decoded.strictErrors : inPrintedOrder(scope, decoded.strictErrors, printed))])
  const sent = decoded.emptiedLists && type ? decodeStruct<KubeObject>(type.schema, patched, { keepEmptyLists: true }).object : undefined
  return { object: decoded.object, sent }
}

/** Texts only: what is wrong with other values is said when they are decoded. */
function ofKind(scope: ResourceScope, patched: JsonObject): JsonObject {
  const isText = (value: unknown): boolean => typeof (value ?? '') === 'string'
  if (!isText(patched['kind']) || !isText(patched['apiVersion'])) return patched
  if (patched['kind'] === scope.gvk.kind && patched['apiVersion'] === scope.apiVersion) return patched
  return { ...patched, kind: scope.gvk.kind, apiVersion: scope.apiVersion }
}

/** Strict errors come in the order of the text that the original decodes. */
function inPrintedOrder({ type }: ResourceScope, errors: readonly string[], printed: () => string): readonly string[] {
  if (errors.length < 2 || type === undefined) return errors
  return decodeStruct<KubeObject>(type.schema, parseJson(printed()), { strict: 'Strict' }).strictErrors
}

/** Of an object that nothing is read of. */
function unknownMembers(patched: JsonObject): readonly string[] {
  const names = Object.keys(patched).filter((name) => name !== 'apiVersion' && name !== 'kind')
  return names.sort().map((name) => `unknown field ${JSON.stringify(name)}`)
}

/** False without a version: the original then reads nothing of the object. */
function checkKind(scope: ResourceScope, patched: JsonObject, invalid: (message: string) => Error): boolean {
  const said = { apiVersion: '', kind: '' }
  for (const member of ['apiVersion', 'kind'] as const) {
    const value = patched[member] ?? ''
    if (typeof value === 'string') said[member] = value
    else throw invalid(`couldn't get version/kind; json parse error: ${misfit(value, member)}`)
  }
  const kind = said.kind || scope.gvk.kind
  if (said.apiVersion === '') {
    if (kind === scope.gvk.kind) return false
    throw invalid(notInternal(scope, kind))
  }
  const gvk = { ...parseApiVersion(said.apiVersion), kind }
  if (gvk.kind === scope.gvk.kind && said.apiVersion === scope.apiVersion) return true
  throw invalid(
    scope.info.types.kind(gvk) === undefined
      ? notRegistered(gvk)
      : `unable to decode ${said.apiVersion}, Kind=${gvk.kind} into *${scope.gvk.version}.${scope.gvk.kind}`,
  )
}

/** Another kind without a version is looked for in the group, inside. */
function notInternal({ gvk, info }: ResourceScope, kind: string): string {
  const { group } = gvk
  if (info.types.kind({ ...gvk, kind }) === undefined) {
    return `no kind ${JSON.stringify(kind)} is registered for the internal version of group ${JSON.stringify(group)} in scheme "pkg/api/legacyscheme/scheme.go:30"`
  }
  const inside = group === '' ? 'core' : group.split('.', 1)[0]
  return `converting (${inside}.${kind}) to (${inside}.${gvk.kind}): unknown conversion`
}

function misfit(value: JsonValue, member: string): string {
  return `json: cannot unmarshal ${describeJson(value)} into Go struct field .${member} of type string`
}
