import { decodeStruct, messageOf, parseJson, strictDecodingMessage, stringifyJson } from '@keelson/apimachinery'
import type { FieldSchema, JsonObject, JsonValue, ScalarType, StructSchema, TypeSchema } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'

/** Values of apiVersion that kube-apiserver accepts in its configuration files. */
const apiVersions: ReadonlySet<string> = new Set([
  'apiserver.config.k8s.io/v1',
  'apiserver.config.k8s.io/v1beta1',
  'apiserver.k8s.io/v1alpha1',
])

/** Decodes a configuration file strictly. Throws an error with kube-apiserver's message. */
export function decodeConfiguration(text: string, schema: StructSchema): JsonObject {
  const { value, duplicates } = parse(text)
  const head = isObject(value) ? value : {}
  const [kind, apiVersion] = [readText(head['kind']), readText(head['apiVersion'])]
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${text}'`)
  if (apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${text}'`)
  if (!apiVersions.has(apiVersion) || kind !== schema.name) {
    throw new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
  }
  const { kind: _kind, apiVersion: _apiVersion, ...content } = head
  const { object, strictErrors } = decodeStruct(schema, parseJson(stringifyJson(content)), { strict: 'Strict' })
  const problems = [...duplicates, ...strictErrors]
  if (problems.length > 0) throw new Error(strictDecodingMessage(problems))
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
    throw new Error(`couldn't get version/kind; json parse error: ${messageOf(error)}`, { cause: error })
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
