import {
  fieldError,
  newFieldPath,
  formatGroupVersion,
  isApiError,
  runAfter,
  getErrorMessage,
  newBadRequest,
  newInvalid,
  parseGroupVersion,
  pauseIfLong,
  formatStrictDecodingMessage,
} from '@keelson/apimachinery'
import type { FieldValidation, GroupVersionKind, KubeObject } from '@keelson/apimachinery'
import type { KindType } from '@keelson/api'
import { formatInternalTypeName } from '../internal-type-name.ts'
import { toHub } from '../write/route.ts'
import type { WriteRoute } from '../write/route.ts'
import { decodeDocument, explainErrors, formatNotRegistered, splitIntoWarnings } from './document.ts'
import type { SentBody, TypedDocument } from './document.ts'

/** A decoded object in the hub version. */
export interface DecodedBody {
  readonly object: KubeObject
  /**
   * The same object with the empty lists of the body. `object` lacks them, because empty lists are not stored. Undefined if the body has no
   * empty lists.
   */
  readonly withEmptyLists: KubeObject | undefined
  /** The kind that the body names. Undefined for objects that do not come from a body. */
  readonly gvk?: GroupVersionKind
}

/**
 * Decodes, validates, defaults and converts a request body to the hub version. Lets other requests run between long steps. Throws 400 for
 * an invalid body.
 */
export function decodeBody(
  route: WriteRoute,
  body: SentBody,
  validation: FieldValidation,
  warn: (text: string) => void,
): DecodedBody | Promise<DecodedBody> {
  const readStart = performance.now()
  return runAfter(readDocument(route, body), (document) =>
    runAfter(route.type?.prepare?.() ?? pauseIfLong(readStart), () => {
      const decoding = performance.now()
      const decoded = decodeTyped(route, document, validation, warn)
      return runAfter(pauseIfLong(decoding), () => convertBodyToHub(route, decoded))
    }),
  )
}

function readDocument(route: WriteRoute, body: SentBody): TypedDocument | Promise<TypedDocument> {
  return explainErrors(
    () =>
      runAfter(decodeDocument(body, route.gvk), (document) => {
        if (isCustomRoute(route) && document.typeMeta !== undefined) checkTypeMeta(document.typeMeta, body)
        return document
      }),
    (error) => {
      if (isApiError(error)) throw error
      throw newBadRequest(
        `the object provided is unrecognized (must be of type ${route.gvk.kind}): ${getErrorMessage(error)} (${summarize(body.bytes)})`,
      )
    },
  )
}

/** Returns whether the objects of a route are custom resources. Scales of custom resources are not. */
export function isCustomRoute({ storage, type }: WriteRoute): boolean {
  return type?.isJsonOnly === true && storage.isCustom === true
}

/** The maximum length of a body that an error message contains. kube-apiserver has no limit. */
const maxPrinted = 10_000

/** Checks that the body of a custom resource has a kind and a valid apiVersion. kube-apiserver requires that only of custom resources. */
function checkTypeMeta({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }, { bytes }: SentBody): void {
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${Buffer.from(bytes).toString('utf8', 0, maxPrinted)}'`)
  parseGroupVersion(apiVersion)
}

function convertBodyToHub(route: WriteRoute, { object, withEmptyLists, gvk }: DecodedBody): DecodedBody {
  return { object: toHub(route, object), withEmptyLists: withEmptyLists && toHub(route, withEmptyLists), ...(gvk && { gvk }) }
}

function decodeTyped(route: WriteRoute, document: TypedDocument, validation: FieldValidation, warn: (text: string) => void): DecodedBody {
  const { gvk } = document
  const createError = (message: string): Error =>
    newBadRequest(`${gvk.kind} in version ${JSON.stringify(gvk.version)} cannot be handled as a ${route.gvk.kind}: ${message}`)
  const { scheme, types } = route
  const isOther = isCustomRoute(route) && (gvk.kind !== route.gvk.kind || gvk.group !== route.gvk.group)
  // Like kube-apiserver, decodes a body of any kind as a custom resource, without its schema. The kind is checked later.
  const type = isOther ? route.type : types.kind(gvk)
  if (type === undefined) {
    throw createError(formatNotRegistered(gvk))
  }
  let decoded: ReturnType<TypedDocument['decode']>
  let unknown: readonly string[]
  try {
    decoded = document.decode(type, validation)
    unknown = isOther ? noErrors : pruneUnknown(type, decoded.object)
  } catch (error) {
    throw isApiError(error) ? error : createError(getErrorMessage(error))
  }
  const hub = scheme.findHub(gvk)
  if (!isOther && (gvk.kind !== route.gvk.kind || (hub !== undefined && (hub.group !== route.hub.group || hub.kind !== route.hub.kind)))) {
    throw createError(`converting (${gvk.version}.${gvk.kind}) to (${formatInternalTypeName(route)}): unknown conversion`)
  }
  const strictErrors = [...decoded.strictErrors, ...unknown]
  if (strictErrors.length > 0) {
    if (validation === 'Strict') throw createError(formatStrictDecodingMessage(strictErrors))
    if (validation === 'Warn') for (const error of strictErrors) for (const text of splitIntoWarnings(error)) warn(text)
  }
  const acceptedKinds = [route.gvk, ...(route.storage.alsoAccepts ?? [])]
  const lacksVersion = isCustomRoute(route) && document.typeMeta?.apiVersion === ''
  if (lacksVersion || !acceptedKinds.some(({ group, version }) => gvk.group === group && gvk.version === version)) {
    throw newBadRequest(
      `the API version in the data (${lacksVersion ? '' : formatGroupVersion(gvk)}) does not match the expected API version (${route.apiVersion})`,
    )
  }
  if (isOther) {
    const error = fieldError.invalid(newFieldPath('kind'), gvk.kind, `must be ${route.gvk.kind}`)
    throw newInvalid({ group: gvk.group, kind: gvk.kind }, decoded.object.metadata?.name ?? '', [error])
  }
  if (decoded.emptied !== true) return { object: decoded.object, withEmptyLists: undefined, gvk }
  const withEmptyLists = document.decode(type, 'Ignore', { keepEmptyLists: true }).object
  pruneUnknown(type, withEmptyLists)
  return { object: decoded.object, withEmptyLists, gvk }
}

const noErrors: readonly string[] = []

/** Drops the fields of a custom resource that its schema does not specify. Returns the strict decoding errors about them. */
export function pruneUnknown(type: KindType, object: KubeObject): readonly string[] {
  const paths = type.prune?.(object) ?? noErrors
  return paths.length === 0 ? noErrors : paths.map((path) => `unknown field ${JSON.stringify(path)}`)
}

/** Returns the start of a body for an error message: as text if it looks like JSON, otherwise as hexadecimal digits. */
function summarize(body: Uint8Array): string {
  if (body.byteLength === 0) return '<empty>'
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(30, body.byteLength))
  return start.toString(body[0] === 0x7b ? 'latin1' : 'hex') + (body.byteLength > 30 ? ' ...' : '')
}
