import type { JsonObject, JsonValue, StructSchema, TypeSchema } from '@keelson/apimachinery'
import { encodeBody, findKindType, protobuf } from '@keelson/tooling-e2e/encode-body'
import { sampleObject } from '@keelson/tooling-e2e/sample-objects'
import { formatApiVersion, buildCollectionPath } from '@keelson/tooling-e2e/served-resources'
import type { ServedResource } from '@keelson/tooling-e2e/served-resources'
import { hostileTexts } from './hostile-texts.ts'
import type { HostileRequest } from './hostile-request.ts'

/** One hostile value in one field of an otherwise valid object. */
export interface ValueCase {
  readonly about: string
  /** Creates the request. The result is undefined if the encoding of the request cannot represent the value. */
  readonly request: () => Promise<HostileRequest | undefined>
}

/** Name of the object that updates and patches change. */
export const targetName = 'target'

type Path = readonly (string | number)[]
type Form = 'POST' | 'PUT' | 'merge' | 'strategic' | 'apply' | 'protobuf'

const jsonForms: readonly Form[] = ['POST', 'PUT', 'POST', 'merge', 'POST', 'strategic', 'POST', 'apply']
const contentTypes: Readonly<Record<Form, string>> = {
  POST: 'application/json',
  PUT: 'application/json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
  protobuf,
}
/** Number of items in long lists. Close to the server's limits on the values in a document and on the size of a request. */
const manyItems = 95_000
const roomForItems = 900_000
const textsForField = 6

/** Lists cases for every field of every kind. A field of a shared type is covered once per type. */
export async function listValueCases(resources: readonly ServedResource[]): Promise<ValueCase[]> {
  const cases: ValueCase[] = []
  const visited = new Set<string>()
  for (const resource of resources) {
    if (!resource.verbs.includes('create')) continue
    const { group, version, kind } = resource
    const type = await findKindType({ group, version, kind })
    if (type === undefined) continue
    walkStruct(type.schema, [], visited, (path, schema) => cases.push(...listFieldCases(resource, path, schema, cases.length)))
  }
  return cases
}

/** Returns a valid object of the resource's kind. For a kind without a sample, returns an object that only has a name. */
export function createBaseObject(resource: ServedResource): JsonObject {
  const { group, version, kind, plural, namespaced } = resource
  const place = { group, version, plural, name: targetName, ...(namespaced ? { namespace: 'default' } : {}) }
  try {
    return sampleObject(place)
  } catch {
    return { apiVersion: formatApiVersion(resource), kind, metadata: { name: targetName } }
  }
}

function walkStruct(schema: StructSchema, path: Path, visited: Set<string>, visit: (path: Path, schema: TypeSchema) => void): void {
  for (const { name, type } of schema.fields) {
    const field = `${schema.definition || schema.name}.${name}`
    if (visited.has(field) || (path.length === 0 && (name === 'kind' || name === 'apiVersion'))) continue
    visited.add(field)
    walk(type, [...path, name], visited, visit)
  }
}

function walk(schema: TypeSchema, path: Path, visited: Set<string>, visit: (path: Path, schema: TypeSchema) => void): void {
  visit(path, schema)
  if (schema.kind === 'struct') walkStruct(schema, path, visited, visit)
  else if (schema.kind === 'list') walk(schema.items, [...path, 0], visited, visit)
  else if (schema.kind === 'map') walk(schema.values, [...path, 'a'], visited, visit)
}

function listFieldCases(resource: ServedResource, path: Path, schema: TypeSchema, at: number): ValueCase[] {
  switch (schema.kind) {
    case 'list': {
      const item = createSmallestValue(schema.items)
      const form = jsonForms[at % jsonForms.length]!
      return [
        createValueCase(resource, path, { form, what: `${manyItems} items`, value: () => Array(manyItems).fill(item) as JsonValue[] }),
        createValueCase(resource, path, {
          form: 'protobuf',
          what: `${manyItems} items`,
          value: () => Array(manyItems).fill(item) as JsonValue[],
        }),
        ...(at % 20 === 0
          ? [
              createValueCase(resource, path, {
                form,
                what: `${roomForItems} items`,
                value: () => Array(roomForItems).fill(item) as JsonValue[],
              }),
            ]
          : []),
      ]
    }
    case 'map': {
      const item = createSmallestValue(schema.values)
      const createManyMembers = (): JsonObject => Object.fromEntries(Array.from({ length: manyItems }, (_, i) => [`k${i}`, item]))
      const form = jsonForms[at % jsonForms.length]!
      return [
        createValueCase(resource, path, { form, what: `${manyItems} entries`, value: createManyMembers }),
        ...pickTexts(at).map(([name, text]) =>
          createValueCase(resource, path, { form: 'POST', what: `the key ${name}`, value: () => ({ [text()]: item }) }),
        ),
      ]
    }
    case 'struct':
    case 'bool':
      return []
    case 'rawExtension':
    case 'json':
    case 'fieldsV1': {
      const createManyFields = (): JsonObject => ({ 'f:a': Array.from({ length: manyItems }, () => ({})) })
      return [createValueCase(resource, path, { form: 'POST', what: 'many values of any type', value: createManyFields })]
    }
    default:
      return pickTexts(at).map(([name, text], i) =>
        createValueCase(resource, path, { form: jsonForms[(at + i) % jsonForms.length]!, what: name, value: text }),
      )
  }
}

/** Returns a few hostile strings for a field. The next field gets the next strings. */
function pickTexts(at: number): (readonly [name: string, text: () => string])[] {
  return Array.from({ length: textsForField }, (_, i) => hostileTexts[(at * textsForField + i) % hostileTexts.length]!)
}

function createSmallestValue(schema: TypeSchema): JsonValue {
  switch (schema.kind) {
    case 'struct':
    case 'map':
      return {}
    case 'list':
      return []
    case 'bool':
      return false
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'double':
      return 0
    default:
      return ''
  }
}

function createValueCase(
  resource: ServedResource,
  path: Path,
  { form, what: subject, value }: { readonly form: Form; readonly what: string; readonly value: () => JsonValue },
): ValueCase {
  const updates = resource.verbs.includes('update') && resource.verbs.includes('patch')
  const sent: Form = form === 'POST' || form === 'protobuf' || updates ? form : 'POST'
  return {
    about: `${resource.kind} ${path.join('.')}: ${subject}, ${sent}`,
    async request() {
      const base = createBaseObject(resource)
      const collection = buildCollectionPath(resource, 'default')
      const patches = sent === 'merge' || sent === 'strategic' || sent === 'apply'
      const document = patches && sent !== 'apply' ? {} : base
      const object = put(document, path, value()) as JsonObject
      let body: Buffer
      try {
        body = Buffer.from(await encodeBody(object, contentTypes[sent]))
      } catch {
        return undefined
      }
      const method = sent === 'POST' || sent === 'protobuf' ? 'POST' : sent === 'PUT' ? 'PUT' : 'PATCH'
      const target = method === 'POST' ? collection : `${collection}/${targetName}`
      return {
        method,
        path: `${target}?dryRun=All${sent === 'apply' ? '&fieldManager=m' : ''}`,
        headers: { 'content-type': contentTypes[sent] },
        body,
      }
    },
  }
}

/** Returns a copy of `into` with the value at a path. Creates missing parents. */
function put(into: JsonValue | undefined, path: Path, value: JsonValue): JsonValue {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (typeof step === 'number') {
    const list = Array.isArray(into) ? [...into] : []
    list[step] = put(list[step], rest, value)
    return list
  }
  const object = typeof into === 'object' && into !== null && !Array.isArray(into) ? into : {}
  return { ...object, [step]: put(object[step], rest, value) }
}
