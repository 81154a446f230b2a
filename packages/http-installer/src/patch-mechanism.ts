import {
  decodeStruct,
  fieldError,
  fieldPath,
  goValue,
  newGenericServerResponse,
  newInvalid,
  newNotFound,
  strictDecodingMessage,
  stringifyJson,
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
import { cborApplyPatchType, isApply } from './patch-types.ts'
import type { MergePatchType } from './patch-types.ts'
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
  /** For merges that make an object of objects rather than of JSON: errors are about the patch, in this form. */
  readonly text?: () => string
}

const readers: Readonly<Record<MergePatchType, (body: Uint8Array, strict: FieldValidation) => ReadPatch>> = {
  'application/json-patch+json'(body, strict) {
    const { operations, strictErrors } = decodeJsonPatch(body, strict)
    return { strictErrors, merge: (document, _, context) => applyJsonPatchInSlices(document, operations, () => context.signal) }
  },
  'application/merge-patch+json'(body, strict) {
    const { patch, strictErrors } = decodeMergePatch(body, strict)
    return { strictErrors, merge: (document) => applyMergePatch(document, patch) }
  },
  'application/strategic-merge-patch+json'(body, strict) {
    const { patch, strictErrors } = decodeStrategicMergePatch(body, strict)
    return {
      strictErrors,
      merge: (document, scope) => applyStrategicMergePatch(document, patch, schemaOf(scope)),
      text: () => goValue(patch),
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
    const { strictErrors, merge, text } = readers[patchType as MergePatchType](body, fieldValidation)
    const versioned = fromHub(scope, current)
    const document = { kind: scope.gvk.kind, apiVersion: scope.apiVersion, ...versioned } as unknown as JsonObject
    const finish = (patched: JsonValue): KubeObject => {
      const warn = (text: string): void => context.warn(text)
      const decoded = decodePatched(scope, { patched, current: versioned, patchErrors: strictErrors, text }, fieldValidation, warn)
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
  readonly text: ReadPatch['text'] | undefined
}

/** The patched document as a versioned object; what does not fit is the patch's fault. */
function decodePatched(
  scope: ResourceScope,
  { patched, current, patchErrors, text }: PatchedDocument,
  validation: FieldValidation,
  warn: (text: string) => void,
): DecodedBody {
  const invalid = (message: string): Error =>
    newInvalid({ group: '', kind: '' }, '', [fieldError.invalid(fieldPath('patch'), text?.() ?? stringifyJson(patched), message)])
  checkKind(scope, patched, invalid)
  const { type } = scope
  let decoded: Decoded<KubeObject>
  try {
    decoded = type
      ? decodeChanged(type.schema, patched as JsonObject, current, { strict: validation, converting: text !== undefined })
      : { object: patched as unknown as KubeObject, strictErrors: [] }
  } catch (error) {
    throw invalid(messageOf(error))
  }
  const errors = [...patchErrors, ...decoded.strictErrors]
  if (errors.length > 0 && validation === 'Strict') throw invalid(strictDecodingMessage(errors))
  if (validation === 'Warn') errors.forEach(warn)
  const sent = decoded.emptiedLists && type ? decodeStruct<KubeObject>(type.schema, patched, { keepEmptyLists: true }).object : undefined
  return { object: decoded.object, sent }
}

function checkKind(scope: ResourceScope, patched: JsonValue, invalid: (message: string) => Error): void {
  const { kind, apiVersion } = patched as { kind?: unknown; apiVersion?: unknown }
  if (typeof kind !== 'string' || kind === '') throw invalid(`Object 'Kind' is missing in '${stringifyJson(patched)}'`)
  if (typeof apiVersion !== 'string' || apiVersion === '') throw invalid(`Object 'apiVersion' is missing in '${stringifyJson(patched)}'`)
  if (kind === scope.gvk.kind && apiVersion === scope.apiVersion) return
  const gvk = { ...parseApiVersion(apiVersion), kind }
  throw invalid(
    scope.info.types.kind(gvk) === undefined
      ? notRegistered(gvk)
      : `unable to decode ${apiVersion}, Kind=${kind} into *${scope.gvk.version}.${scope.gvk.kind}`,
  )
}
