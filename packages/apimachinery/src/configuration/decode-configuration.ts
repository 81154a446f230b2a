import { getErrorMessage } from '../api-error.ts'
import { formatStrictDecodingMessage } from '../decode-context.ts'
import { decodeStruct } from '../decode-struct.ts'
import { stringifyJson } from '../go-text.ts'
import { parseJson } from '../json-document.ts'
import type { JsonObject, JsonValue } from '../meta.ts'
import type { FieldSchema, ScalarType, StructSchema, TypeSchema } from '../type-schema.ts'
import { parseYaml } from '../yaml/index.ts'

/**
 * Decodes a configuration file of kube-apiserver strictly. Its kind must be the name of the schema, and its apiVersion one of `apiVersions`.
 * Throws an error with kube-apiserver's message.
 */
export function decodeConfiguration(text: string, schema: StructSchema, apiVersions: readonly string[]): JsonObject {
  const { value, duplicates } = parse(text)
  const head = isObject(value) ? value : {}
  const [kind, apiVersion] = [readText(head['kind']), readText(head['apiVersion'])]
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${text}'`)
  if (apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${text}'`)
  if (!apiVersions.includes(apiVersion) || kind !== schema.name) {
    throw new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
  }
  const { kind: _kind, apiVersion: _apiVersion, ...content } = head
  const { object, strictErrors } = decodeStruct(schema, parseJson(stringifyJson(content)), { strict: 'Strict' })
  const problems = [...duplicates, ...strictErrors]
  if (problems.length > 0) throw new Error(formatStrictDecodingMessage(problems))
  return withoutNulls(object) as JsonObject
}

/** Removes null members. The decoder returns null for an empty list. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
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

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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
    definition: `io.k8s.apiserver.pkg.apis.apiserver.v1.${name}`,
    fields: list,
    byName: new Map(list.map((field) => [field.name, field])),
  }
}

export function defineListOfStructs(items: TypeSchema): TypeSchema {
  return { kind: 'list', items }
}
