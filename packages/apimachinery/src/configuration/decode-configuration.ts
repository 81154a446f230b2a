import { getErrorMessage } from '../api-error.ts'
import { formatStrictDecodingMessage } from '../decode-context.ts'
import { decodeStruct } from '../decode-struct.ts'
import { stringifyJson } from '../go-text.ts'
import { parseJson } from '../json-document.ts'
import { isJsonObject } from '../json-value.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import type { FieldSchema, ScalarType, StructSchema, TypeSchema } from '../type-schema.ts'
import { parseYaml } from '../yaml/index.ts'

/** The kind of a configuration file of kube-apiserver. Its name is that of the schema. */
export interface ConfigurationType {
  readonly schema: StructSchema
  readonly apiVersions: readonly string[]
  /** Name of the scheme in Go at the end of the error for another kind. Default: the error does not name it. */
  readonly scheme?: string
}

export interface DecodedConfiguration {
  readonly object: JsonObject
  /** Unknown and duplicate fields, with kube-apiserver's words. Undefined if there are none. */
  readonly strictError: string | undefined
}

/** Decodes a configuration file of kube-apiserver strictly. Throws an error with kube-apiserver's message. */
export function decodeConfiguration(text: string, type: ConfigurationType): JsonObject {
  const { object, strictError } = decodeLenientConfiguration(text, type)
  if (strictError !== undefined) throw new Error(strictError)
  return object
}

/** Decodes a configuration file of kube-apiserver. Ignores unknown and duplicate fields, and returns an error that names them. */
export function decodeLenientConfiguration(text: string, { schema, apiVersions, scheme }: ConfigurationType): DecodedConfiguration {
  const { value, duplicates } = parse(text)
  const head = isJsonObject(value) ? value : {}
  const [kind, apiVersion] = [readText(head['kind']), readText(head['apiVersion'])]
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${text}'`)
  if (apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${text}'`)
  if (!apiVersions.includes(apiVersion) || kind !== schema.name) {
    const problem = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`
    throw new Error(scheme === undefined ? problem : `${problem} in scheme ${JSON.stringify(scheme)}`)
  }
  const { kind: _kind, apiVersion: _apiVersion, ...content } = head
  const { object, strictErrors } = decodeStruct(schema, parseJson(stringifyJson(content)), { strict: 'Strict' })
  const problems = [...duplicates, ...strictErrors]
  return {
    object: withoutNulls(object) as JsonObject,
    strictError: problems.length > 0 ? formatStrictDecodingMessage(problems) : undefined,
  }
}

/** Removes null members. The decoder returns null for an empty list. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutNulls(member)]))
}

function parse(text: string): { readonly value: JsonValue; readonly duplicates: readonly string[] } {
  try {
    return parseYaml(text)
  } catch (error) {
    throw new Error(findJsonError(text) ?? getErrorMessage(error), { cause: error })
  }
}

/** Returns the error of a file that starts like JSON and is not; kube-apiserver does not parse such a file as YAML. */
function findJsonError(text: string): string | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    parseJson(text)
    return undefined
  } catch (error) {
    return `couldn't get version/kind; json parse error: ${getErrorMessage(error)}`
  }
}

function readText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Builds the schema of a struct in a configuration file. Members are scalars, structs and lists of structs. */
export function defineConfigurationStruct(name: string, fields: Readonly<Record<string, TypeSchema | ScalarType>>): StructSchema {
  const list = Object.entries(fields).map(([field, type]): FieldSchema => ({
    name: field,
    type: typeof type === 'string' ? { kind: type } : type,
    omit: 'empty',
    pointer: true,
  }))
  return {
    kind: 'struct',
    name,
    // Only the last package is visible, in error messages.
    definition: `io.k8s.apiserver.pkg.apis.v1.${name}`,
    fields: list,
    byName: new Map(list.map((field) => [field.name, field])),
  }
}

export function defineListOfStructs(items: TypeSchema): TypeSchema {
  return { kind: 'list', items }
}
