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
import { toHub } from '../decode/body.ts'
import type { DecodedBody } from '../decode/body.ts'
import type { WriteOptions } from '../write/attributes.ts'
import type { MergePatchType } from '../write/change.ts'
import { keepReset } from '../write/managed-fields.ts'
import { fromHub } from '../write/route.ts'
import type { WriteRoute } from '../write/route.ts'
import { decodePatched } from './decode-patched.ts'
import { printedJsonPatched, printedMergePatched, printedStrategicPatch } from './print-patched.ts'
import type { PrintPatched } from './print-patched.ts'

/** A promise if it takes long. */
type Merge = (document: JsonObject, route: WriteRoute, context: RequestContext) => JsonValue | Promise<JsonValue>
interface ReadPatch {
  readonly strictErrors: readonly string[]
  readonly merge: Merge
  /** Prints the patched document for errors. */
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
      merge: (document, route) => applyStrategicMergePatch(document, patch, schemaOf(route)),
      print: printedStrategicPatch(patch),
      converting: true,
    }
  },
}

interface PatchedWrite {
  readonly route: WriteRoute
  readonly context: RequestContext
  readonly name: string
  readonly options: WriteOptions
}

/** The new hub object: `current` in the route's version, patched, decoded, defaulted and converted. A promise if it takes long. */
export function applyPatch(
  { route, context, name, options }: PatchedWrite,
  { type, body }: { readonly type: MergePatchType; readonly body: Uint8Array },
  current: KubeObject | undefined,
): DecodedBody | Promise<DecodedBody> {
  const began = performance.now()
  if (current === undefined) throw newNotFound(route.groupResource, name)
  const { strictErrors, merge, print, converting } = readers[type](body, options.fieldValidation)
  const versioned = fromHub(route, current)
  const document = { kind: route.gvk.kind, apiVersion: route.apiVersion, ...versioned } as unknown as JsonObject
  let text: string | Promise<string> | undefined
  const printed = (): string | Promise<string> => (text ??= print(document, route.type?.schema, () => context.signal))
  return maybeThen(merge(document, route, context), (patched) => {
    const result = { patched, current: versioned, patchErrors: strictErrors, printed, converting }
    return maybeThen(
      maybeThen(restAfter(began), () => decodePatched(route, context, result, options.fieldValidation)),
      (decoded) =>
        maybeThen(restAfter(began), () => {
          keepReset(patched, decoded.object)
          return { object: toHub(route, decoded.object), sent: decoded.sent && toHub(route, decoded.sent) }
        }),
    )
  })
}

function schemaOf({ type }: WriteRoute): NonNullable<WriteRoute['type']>['schema'] {
  // Kinds without generated types have no schema to merge by.
  if (type === undefined) throw unsupportedPatch()
  return type.schema
}

export function unsupportedPatch(): Error {
  return newGenericServerResponse(415, '', { group: '', resource: '' }, '', { serverMessage: '415: Unsupported Media Type' })
}
