import {
  runAfter,
  newGenericServerResponse,
  newNotFound,
  pauseIfLong,
  decodeStruct,
  goValue,
  isJsonObject,
  stringifyJson,
} from '@keelson/apimachinery'
import type { FieldValidation, JsonObject, JsonValue, KubeObject, RequestContext, StructSchema } from '@keelson/apimachinery'
import {
  applyJsonPatchInSlices,
  applyMergePatch,
  applyStrategicMergePatch,
  decodeJsonPatch,
  decodeMergePatch,
  decodeStrategicMergePatch,
  computePatchAfterMerge,
} from '@keelson/apimachinery/patch'
import type { DecodedBody } from '../decode/body.ts'
import type { WriteOptions } from '../write/admission.ts'
import type { MergePatchType } from '../write/change.ts'
import { keepClearedManagers } from '../write/managed-fields.ts'
import { fromHub, toHub } from '../write/route.ts'
import type { WriteRoute } from '../write/route.ts'
import { decodePatched } from './decode-patched.ts'

/** Applies a patch to a document. Returns a promise only if the work takes long. */
type Merge = (document: JsonObject, route: WriteRoute, context: RequestContext) => JsonValue | Promise<JsonValue>
interface ReadPatch {
  readonly strictErrors: readonly string[]
  readonly merge: Merge
  /** Returns the patched document as text for error messages. */
  readonly print: PrintPatched
  /**
   * True for strategic merge patches. kube-apiserver applies them to objects instead of JSON, and its error messages then show the patch.
   */
  readonly converting: boolean
}

const readers: Readonly<Record<MergePatchType, (body: Uint8Array, strict: FieldValidation) => ReadPatch>> = {
  'application/json-patch+json'(body, strict) {
    const { operations, strictErrors } = decodeJsonPatch(body, strict)
    return {
      strictErrors,
      merge: (document, _, context) => applyJsonPatchInSlices(document, operations, { signal: () => context.signal }),
      print: createJsonPatchPrinter(operations),
      converting: false,
    }
  },
  'application/merge-patch+json'(body, strict) {
    const { patch, strictErrors } = decodeMergePatch(body, strict)
    return { strictErrors, merge: (document) => applyMergePatch(document, patch), print: createMergePatchPrinter(patch), converting: false }
  },
  'application/strategic-merge-patch+json'(body, strict) {
    const { patch, strictErrors } = decodeStrategicMergePatch(body, strict)
    return {
      strictErrors,
      merge: (document, route) => applyStrategicMergePatch(document, patch, requireSchema(route)),
      print: createStrategicPatchPrinter(patch),
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

/**
 * Patches `current` in the route's version. Then decodes, defaults and converts the result to the hub version. Returns a promise only if
 * the work takes long.
 */
export function applyPatch(
  { route, context, name, options }: PatchedWrite,
  { type, body }: { readonly type: MergePatchType; readonly body: Uint8Array },
  current: KubeObject | undefined,
): DecodedBody | Promise<DecodedBody> {
  const startTime = performance.now()
  if (current === undefined) throw newNotFound(route.groupResource, name)
  const { strictErrors, merge, print, converting } = readers[type](body, options.fieldValidation)
  const versioned = fromHub(route, current)
  const document = { kind: route.gvk.kind, apiVersion: route.apiVersion, ...versioned } as unknown as JsonObject
  let text: string | Promise<string> | undefined
  const printOnce = (): string | Promise<string> => (text ??= print(document, route.type?.schema, () => context.signal))
  const merging = runAfter(pauseIfLong(startTime), () => merge(document, route, context))
  return runAfter(merging, (patched) => {
    const result = { patched, current: versioned, patchErrors: strictErrors, printPatch: printOnce, converting }
    return runAfter(
      runAfter(pauseIfLong(startTime), () => decodePatched(route, context, result, options.fieldValidation)),
      (decoded) =>
        runAfter(pauseIfLong(startTime), () => {
          keepClearedManagers(patched, decoded.object)
          return { object: toHub(route, decoded.object), withEmptyLists: decoded.withEmptyLists && toHub(route, decoded.withEmptyLists) }
        }),
    )
  })
}

function requireSchema({ type }: WriteRoute): NonNullable<WriteRoute['type']>['schema'] {
  // A strategic merge patch can only be applied to a kind with a schema.
  if (type === undefined) throw newUnsupportedPatchError()
  return type.schema
}

/** Returns the error for a patch type that the kind does not support. */
export function newUnsupportedPatchError(): Error {
  return newGenericServerResponse(415, '', { group: '', resource: '' }, '', { serverMessage: '415: Unsupported Media Type' })
}

/**
 * Returns the patched document as text for error messages, with members in kube-apiserver's order. `document` is the state before the
 * patch. Returns a promise only if printing takes long. The promise rejects with the reason of `signal` if it aborts.
 */
type PrintPatched = (document: JsonObject, schema: StructSchema | undefined, signal: () => AbortSignal) => string | Promise<string>

/**
 * Creates the printer for a document that a merge patch changed. kube-apiserver drops nulls by walking the objects that are in both the
 * document and the patch, and objects that the patch adds. It prints the members of those objects sorted, and all other members in their
 * given order.
 */
export function createMergePatchPrinter(patch: JsonValue): PrintPatched {
  const orderMembers = (value: JsonValue, before: JsonValue | undefined): JsonValue => {
    if (value === before) return value
    if (!isJsonObject(before)) return sortMembers(value)
    return isJsonObject(value) ? mapSortedMembers(value, (member, name) => orderMembers(member, readMember(before, name))) : value
  }
  return (document, schema) => {
    const before = sortBySchema(document, schema)
    return stringifyJson(orderMembers(applyMergePatch(before, patch), before))
  }
}

/**
 * Creates the printer for a document that a JSON patch changed. Members are sorted in every object on the path of an operation, including
 * `test`. All other members keep their given order.
 */
export function createJsonPatchPrinter(operations: readonly JsonObject[]): PrintPatched {
  return (document, schema, signal) => {
    const visitedObjects = new Set<JsonValue>()
    const sortVisited = (value: JsonValue): JsonValue => {
      if (!visitedObjects.has(value)) return value
      if (Array.isArray(value)) return value.map(sortVisited)
      return isJsonObject(value) ? mapSortedMembers(value, sortVisited) : value
    }
    const patched = applyJsonPatchInSlices(sortBySchema(document, schema), operations, { signal, passed: visitedObjects })
    return runAfter(patched, (value) => stringifyJson(sortVisited(value)))
  }
}

/**
 * Creates the printer for a strategic merge patch. It prints the patch as merging leaves it, which is what kube-apiserver's error messages
 * show.
 */
export function createStrategicPatchPrinter(patch: JsonObject): PrintPatched {
  return (document, schema) => goValue(schema === undefined ? patch : computePatchAfterMerge(document, patch, schema))
}

/** Returns the document with its members in the order of their Go types. Objects without Go types have sorted members. */
function sortBySchema(document: JsonObject, schema: StructSchema | undefined): JsonObject {
  if (schema === undefined) return document
  if (schema.keepsUnknown === true) return sortMembers(document) as JsonObject
  const { kind, apiVersion } = document
  // Decoding drops kind and apiVersion.
  return { kind, apiVersion, ...decodeStruct(schema, document).object } as JsonObject
}

function sortMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortMembers)
  return isJsonObject(value) ? mapSortedMembers(value, sortMembers) : value
}

function mapSortedMembers(value: JsonObject, change: (member: JsonValue, name: string) => JsonValue): JsonObject {
  const names = Object.keys(value).toSorted()
  return Object.fromEntries(names.map((name): [string, JsonValue] => [name, change(value[name]!, name)]))
}

function readMember(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined
}
