import {
  decodeStruct,
  formatGroupVersion,
  isApiError,
  maxRequestValues,
  getErrorMessage,
  parseJsonRequest,
  refuseTooManyValues,
  runAfter,
} from '@keelson/apimachinery'
import type { Decoded, FieldValidation, GroupVersionKind, JsonValue, KubeObject, ParsedJson, RequestContext } from '@keelson/apimachinery'
import { parseYaml, parseYamlInThread } from '@keelson/apimachinery/yaml'
import type { ParsedYaml } from '@keelson/apimachinery/yaml'
import { decodeUnknown } from '@keelson/api'
import type { KindType } from '@keelson/api'
import { parseApiVersion } from '../write/route.ts'
import { keepClearedManagers } from '../write/managed-fields.ts'

/** Decodes CBOR. The program passes the decoder to the server, so that servers without CBOR load no CBOR library. */
export interface CborDecoder {
  decodeCbor(bytes: Uint8Array): JsonValue
}

/** A request body and its encoding. */
export interface SentBody {
  readonly form: 'json' | 'yaml' | 'protobuf' | 'cbor'
  readonly bytes: Uint8Array
  /** The decoder. Required if `form` is `cbor`. */
  readonly cbor: CborDecoder | undefined
  /** Returns the parsed YAML. Present only if `parseInAdvance` parsed the body. */
  readonly yaml?: (() => ParsedYaml) | undefined
}

/**
 * Parses a long YAML body in a worker thread, so that parsing does not block other requests. Returns a promise only for a long YAML body,
 * and all other bodies unchanged.
 */
export function parseInAdvance(body: SentBody, context: RequestContext): SentBody | Promise<SentBody> {
  const yaml = body.form === 'yaml' ? parseYamlInThread(body.bytes, () => context.signal) : undefined
  return yaml === undefined ? body : yaml.then((read) => ({ ...body, yaml: read }))
}

/** A request body whose kind is known, but whose fields are not decoded yet. */
export interface TypedDocument {
  /** The kind in the body. If the body has no apiVersion or kind, the default kind's value is used. */
  readonly gvk: GroupVersionKind
  /** The apiVersion and kind in the body, each "" if it is missing. Undefined for protobuf. */
  readonly typeMeta: SentTypeMeta | undefined
  /** Decodes the object without kind and apiVersion. Throws if the body does not match the type. */
  decode(type: KindType, strict: FieldValidation, options?: { readonly keepEmptyLists: boolean }): Decoded<KubeObject>
}

interface SentTypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/**
 * Reads the kind of a request body. Throws a plain Error with kube-apiserver's message if the body cannot be parsed. Returns a promise only for
 * a large body.
 */
export function decodeDocument(
  { form, bytes: body, cbor, yaml }: SentBody,
  defaults: GroupVersionKind,
): TypedDocument | Promise<TypedDocument> {
  switch (form) {
    case 'json':
      return readJsonDocument(body, defaults)
    case 'yaml': {
      const parsed = yaml === undefined ? parseYaml(body) : yaml()
      refuseTooManyValues(parsed.value, body.byteLength)
      return readYamlDocument(parsed, defaults)
    }
    case 'protobuf':
      return readProtobufDocument(body, defaults)
    case 'cbor':
      return readCborDocument(body, defaults, cbor)
  }
}

function readJsonDocument(body: Uint8Array, defaults: GroupVersionKind): TypedDocument | Promise<TypedDocument> {
  return explainErrors(
    () => runAfter(parseJsonRequest(body), (parsed) => createJsonDocument(parsed, readTypeMeta(parsed.value), defaults)),
    (error) => {
      if (isApiError(error)) throw error
      throw new Error(`couldn't get version/kind; json parse error: ${getErrorMessage(error)}`, { cause: error })
    },
  )
}

/** Runs a function and passes its error, or that of its promise, to `explain`. */
export function explainErrors<T>(run: () => T | Promise<T>, explain: (error: unknown) => never): T | Promise<T> {
  try {
    const result = run()
    return result instanceof Promise ? result.catch(explain) : result
  } catch (error) {
    return explain(error)
  }
}

function createJsonDocument(parsed: ParsedJson, typeMeta: SentTypeMeta, defaults: GroupVersionKind): TypedDocument {
  let owned = true
  return {
    gvk: completeKind(typeMeta, defaults),
    typeMeta,
    decode(type, strict, options) {
      const decoded = decodeStruct<KubeObject>(type.schema, parsed, { strict, owned, ...options })
      // Only the first decoded object may reuse members of the parsed document, because decoded objects must not share members.
      owned = false
      keepClearedManagers(parsed.value, decoded.object)
      if (type.schema.keepsUnknown !== true || strict === 'Ignore') return decoded
      return { ...decoded, strictErrors: [...duplicateErrors(parsed.duplicates), ...listUnknownFieldErrors(decoded.strictErrors)] }
    },
  }
}

/** Returns the strict errors about duplicate fields. Decoding does not find those in values that the schema does not describe. */
function duplicateErrors(paths: readonly string[]): string[] {
  return paths.map((path) => `duplicate field ${JSON.stringify(path)}`)
}

/** Returns the errors about unknown fields of the metadata, in the order in which kube-apiserver reports them for custom resources. */
function listUnknownFieldErrors(strictErrors: readonly string[]): string[] {
  return strictErrors.filter((error) => !error.startsWith('duplicate')).sort()
}

function readYamlDocument(parsed: ParsedYaml, defaults: GroupVersionKind): TypedDocument {
  let typeMeta: SentTypeMeta
  try {
    typeMeta = readTypeMeta(parsed.value)
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${getErrorMessage(error)}`, { cause: error })
  }
  return {
    gvk: completeKind(typeMeta, defaults),
    typeMeta,
    decode(type, strict, options) {
      const decoded = decodeStruct<KubeObject>(type.schema, parsed.value, { strict, ...options })
      keepClearedManagers(parsed.value, decoded.object)
      if (strict === 'Ignore' || parsed.duplicates.length === 0) return decoded
      return { ...decoded, strictErrors: [...parsed.duplicates, ...decoded.strictErrors] }
    },
  }
}

const yamlErrors = 'yaml: unmarshal errors:'

/** Splits a strict decoding error into warnings. A YAML error gives one warning for each of its lines. */
export function splitIntoWarnings(strictError: string): readonly string[] {
  if (!strictError.startsWith(`${yamlErrors}\n`)) return [strictError]
  return strictError
    .slice(yamlErrors.length + 1)
    .split('\n')
    .map((line) => line.trim())
}

function readProtobufDocument(body: Uint8Array, defaults: GroupVersionKind): TypedDocument {
  if (body.byteLength === 0) throw new Error('empty data')
  const { gvk, raw } = decodeUnknown(body)
  const { group, version, kind } = gvk
  return {
    gvk: completeKind({ apiVersion: formatGroupVersion({ group, version }), kind }, defaults),
    typeMeta: undefined,
    decode: (type) => ({ object: type.decodeProto(raw, undefined, maxRequestValues), strictErrors: [] }),
  }
}

function readCborDocument(body: Uint8Array, defaults: GroupVersionKind, cbor: CborDecoder | undefined): TypedDocument {
  let value: JsonValue
  let typeMeta: SentTypeMeta
  try {
    value = cbor!.decodeCbor(body)
    refuseTooManyValues(value, body.byteLength)
    typeMeta = readTypeMeta(value)
  } catch (error) {
    if (isApiError(error)) throw error
    throw new Error(`unable to determine group/version/kind: ${getErrorMessage(error)}`, { cause: error })
  }
  return {
    gvk: completeKind(typeMeta, defaults),
    typeMeta,
    decode(type, strict, options) {
      const decoded = decodeStruct<KubeObject>(type.schema, value, { strict, ...options })
      keepClearedManagers(value, decoded.object)
      return decoded
    },
  }
}

const anonymousStruct = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

function readTypeMeta(value: JsonValue): SentTypeMeta {
  if (value === null) return { apiVersion: '', kind: '' }
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new Error(`json: cannot unmarshal ${nameJsonType(value)} into Go value of type ${anonymousStruct}`)
  }
  return { apiVersion: readStringMember(value, 'apiVersion'), kind: readStringMember(value, 'kind') }
}

function readStringMember(object: { readonly [key: string]: JsonValue }, name: string): string {
  const value = object[name]
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  throw new Error(`json: cannot unmarshal ${nameJsonType(value)} into Go struct field .${name} of type string`)
}

function nameJsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

function completeKind({ apiVersion, kind }: { apiVersion: string; kind: string }, defaults: GroupVersionKind): GroupVersionKind {
  const parsed = parseApiVersion(apiVersion)
  const { group, version } = apiVersion === '' ? defaults : parsed
  return { group, version: version === '' && group === defaults.group ? defaults.version : version, kind: kind || defaults.kind }
}

/** Returns kube-apiserver's error text for a kind that the server does not know. */
export function formatNotRegistered(gvk: GroupVersionKind, scheme = 'pkg/api/legacyscheme/scheme.go:30'): string {
  const version = JSON.stringify(formatGroupVersion(gvk))
  return `no kind ${JSON.stringify(gvk.kind)} is registered for version ${version} in scheme ${JSON.stringify(scheme)}`
}
