import {
  decodeStruct,
  describeJson,
  fieldError,
  fieldPath,
  maybeThen,
  messageOf,
  newInvalid,
  parseJson,
  restAfter,
  strictDecodingMessage,
} from '@keelson/apimachinery'
import type { Decoded, FieldValidation, JsonObject, JsonValue, KubeObject, RequestContext } from '@keelson/apimachinery'
import { parseApiVersion } from '../api-version.ts'
import type { DecodedBody } from '../decode/body.ts'
import { decodeChanged } from '../decode/changed.ts'
import { notRegistered } from '../decode/document.ts'
import { nameMissing } from '../write/object-meta.ts'
import type { WriteRoute } from '../write/route.ts'

export interface PatchedDocument {
  readonly patched: JsonValue
  readonly current: KubeObject
  readonly patchErrors: readonly string[]
  /** The patched document as errors print it. */
  readonly printed: () => string | Promise<string>
  /** The patch merged objects, not JSON: the document need not name its kind again. */
  readonly converting: boolean
}

/** Decodes the patched document into a versioned object; errors blame the patch. A promise if printing the document takes long. */
export function decodePatched(
  route: WriteRoute,
  context: RequestContext,
  document: PatchedDocument,
  validation: FieldValidation,
): DecodedBody | Promise<DecodedBody> {
  const { current, patchErrors, printed, converting } = document
  const whole = document.patched as JsonObject
  const refuse = (message: string): Promise<never> | never =>
    maybeThen(printed(), (text): never => {
      throw newInvalid({ group: '', kind: '' }, '', [fieldError.invalid(fieldPath('patch'), text, message)])
    })
  const strict = (errors: readonly string[], rest: () => DecodedBody): DecodedBody | Promise<DecodedBody> => {
    if (errors.length > 0 && validation === 'Strict') return refuse(strictDecodingMessage(errors))
    if (validation === 'Warn') for (const error of errors) context.warn(error)
    return rest()
  }
  const kind = converting ? 'right' : patchedKind(route, whole)
  if (kind === 'unversioned') {
    return strict([...patchErrors, ...unknownMembers(whole)], () => {
      throw nameMissing(current.metadata.name ?? '')
    })
  }
  if (kind !== 'right') return refuse(kind.misfit)
  const patched = ofKind(route, whole)
  const { type } = route
  let decoded: Decoded<KubeObject>
  const began = performance.now()
  try {
    decoded = type
      ? decodeChanged(type.schema, patched, current, { strict: validation, converting })
      : { object: patched as unknown as KubeObject, strictErrors: [] }
  } catch (error) {
    const found = messageOf(error)
    return maybeThen(restAfter(began), () =>
      converting || type === undefined
        ? refuse(found)
        : maybeThen(printed(), (text) =>
            maybeThen(restAfter(began), () => refuse(misfitOf(() => decodeStruct(type.schema, parseJson(text))) ?? found)),
          ),
    )
  }
  const { object, strictErrors, emptied } = decoded
  return maybeThen(converting ? strictErrors : inPrintedOrder(route, strictErrors, printed), (errors) =>
    strict([...patchErrors, ...errors], () => {
      const sent = emptied && type ? decodeStruct<KubeObject>(type.schema, patched, { keepEmptyLists: true, converting }).object : undefined
      return { object, sent }
    }),
  )
}

function misfitOf(decode: () => unknown): string | undefined {
  try {
    decode()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Orders strict errors like the text that kube-apiserver decodes. */
function inPrintedOrder(
  { type }: WriteRoute,
  errors: readonly string[],
  printed: PatchedDocument['printed'],
): readonly string[] | Promise<readonly string[]> {
  if (errors.length < 2 || type === undefined) return errors
  return maybeThen(printed(), (text) => decodeStruct(type.schema, parseJson(text), { strict: 'Strict' }).strictErrors)
}

/** The members of an object that is not decoded. */
function unknownMembers(patched: JsonObject): readonly string[] {
  const names = Object.keys(patched).filter((name) => name !== 'apiVersion' && name !== 'kind')
  return names.sort().map((name) => `unknown field ${JSON.stringify(name)}`)
}

/** The kind that a patched document names: the route's, none with a version (kube-apiserver then decodes nothing of the object), or a wrong one. */
type PatchedKind = 'right' | 'unversioned' | { readonly misfit: string }

function patchedKind(route: WriteRoute, patched: JsonObject): PatchedKind {
  const said = { apiVersion: '', kind: '' }
  for (const member of ['apiVersion', 'kind'] as const) {
    const value = patched[member] ?? ''
    if (typeof value !== 'string') return { misfit: `couldn't get version/kind; json parse error: ${noText(value, member)}` }
    said[member] = value
  }
  const kind = said.kind || route.gvk.kind
  if (said.apiVersion === '') return kind === route.gvk.kind ? 'unversioned' : { misfit: notInternal(route, kind) }
  const gvk = { ...parseApiVersion(said.apiVersion), kind }
  if (gvk.kind === route.gvk.kind && said.apiVersion === route.apiVersion) return 'right'
  const misfit =
    route.types.kind(gvk) === undefined
      ? notRegistered(gvk)
      : `unable to decode ${said.apiVersion}, Kind=${gvk.kind} into *${route.gvk.version}.${route.gvk.kind}`
  return { misfit }
}

/** The error for another kind without a version, which kube-apiserver looks up in the internal version of the group. */
function notInternal({ gvk, types }: WriteRoute, kind: string): string {
  const { group } = gvk
  if (types.kind({ ...gvk, kind }) === undefined) {
    return `no kind ${JSON.stringify(kind)} is registered for the internal version of group ${JSON.stringify(group)} in scheme "pkg/api/legacyscheme/scheme.go:30"`
  }
  const inside = group === '' ? 'core' : group.split('.', 1)[0]
  return `converting (${inside}.${kind}) to (${inside}.${gvk.kind}): unknown conversion`
}

function noText(value: JsonValue, member: string): string {
  return `json: cannot unmarshal ${describeJson(value)} into Go struct field .${member} of type string`
}

/** Sets the route's kind and version over other texts. Decoding reports other types. */
function ofKind(route: WriteRoute, patched: JsonObject): JsonObject {
  const isText = (value: unknown): boolean => typeof (value ?? '') === 'string'
  if (!isText(patched['kind']) || !isText(patched['apiVersion'])) return patched
  if (patched['kind'] === route.gvk.kind && patched['apiVersion'] === route.apiVersion) return patched
  return { ...patched, kind: route.gvk.kind, apiVersion: route.apiVersion }
}
