import { maybeThen, newGenericServerResponse, newNotFound, restAfter } from '@keelson/apimachinery'
import type { FieldValidation, JsonObject, JsonValue, KubeObject, RequestContext } from '@keelson/apimachinery'
import {
  applyJsonPatchInSlices,
  applyMergePatch,
  applyStrategicMergePatch,
  decodeJsonPatch,
  decodeMergePatch,
  decodeStrategicMergePatch,
} from '@keelson/apimachinery/patch'
import type { CborCodec } from './cbor/cbor-codec.ts'
import { parseYaml } from '@keelson/apimachinery/yaml'
import type { ParsedYaml } from '@keelson/apimachinery/yaml'
import { toHub } from './decode-body.ts'
import { decodePatched } from './decode-patched.ts'
import { keepReset, trackManagers } from './managed-fields.ts'
import { cborApplyPatchType, isApply } from './patch-types.ts'
import type { MergePatchType } from './patch-types.ts'
import { printedJsonPatched, printedMergePatched, printedStrategicPatch } from './printed-patched.ts'
import type { PrintPatched } from './printed-patched.ts'
import type { WriteRequestOptions } from './query-options.ts'
import { cborConfiguration, readConfiguration } from './read-configuration.ts'
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
      merge: (document, _, context) => applyJsonPatchInSlices(document, operations, { signal: () => context.signal }),
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
    const began = performance.now()
    if (current === undefined) throw newNotFound(scope.groupResource, context.info.name)
    const { strictErrors, merge, print, converting } = readers[patchType as MergePatchType](body, fieldValidation)
    const versioned = fromHub(scope, current)
    const document = { kind: scope.gvk.kind, apiVersion: scope.apiVersion, ...versioned } as unknown as JsonObject
    let text: string | Promise<string> | undefined
    const printed = (): string | Promise<string> => (text ??= print(document, scope.type?.schema, () => context.signal))
    return maybeThen(merge(document, scope, context), (patched) => {
      const result = { patched, current: versioned, patchErrors: strictErrors, printed, converting }
      return maybeThen(
        maybeThen(restAfter(began), () => decodePatched(scope, context, result, fieldValidation)),
        (decoded) =>
          maybeThen(restAfter(began), () => {
            keepReset(patched, decoded.object)
            const object = toHub(scope, decoded.object)
            trackManagers(scope, context, current, { object, sent: decoded.sent && toHub(scope, decoded.sent) })
            return object
          }),
      )
    })
  }
}

function applyMechanism({ scope, context, patchType, body, cbor, yaml, options }: PatchRequest): ApplyPatch {
  const { fieldManager } = scope
  // Kinds without generated types have no schema to merge by.
  if (fieldManager === undefined) throw unsupported()
  return (current) => {
    const began = performance.now()
    const { config, check } =
      patchType === cborApplyPatchType
        ? cborConfiguration(body, cbor!)
        : readConfiguration(yaml ?? (() => parseYaml(body)), body.byteLength)
    return maybeThen(restAfter(began), () => {
      const applied = fieldManager.applyInSteps(current, config, options.fieldManager, options.force)
      return maybeThen(applied, (object) => {
        check(options.fieldValidation, (text) => context.warn(text))
        return object
      })
    })
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
