import type { JsonObject, JsonValue, StructSchema, TypeSchema } from '@keelson/apimachinery'

/** Maximum number of repetitions of a recursive struct, such as a schema within a schema. */
const maxRepeats = 1

/** Builds an object of the schema in which every field has a value other than zero. */
export function buildFullObject(schema: StructSchema): JsonObject {
  return struct(schema, [], { next: 1 })
}

interface Counter {
  next: number
}

function struct(schema: StructSchema, path: readonly string[], counter: Counter): JsonObject {
  const object: JsonObject = {}
  const inside = [...path, schema.definition]
  for (const field of schema.fields) {
    if (schema.gvk !== undefined && (field.name === 'kind' || field.name === 'apiVersion')) continue
    const target = targetStruct(field.type)
    if (target !== undefined && inside.filter((name) => name === target.definition).length > maxRepeats) continue
    object[field.name] = value(field.type, field.name, inside, counter)
  }
  return object
}

function targetStruct(type: TypeSchema): StructSchema | undefined {
  if (type.kind === 'list') return targetStruct(type.items)
  if (type.kind === 'map') return targetStruct(type.values)
  return type.kind === 'struct' ? type : undefined
}

function value(type: TypeSchema, name: string, path: readonly string[], counter: Counter): JsonValue {
  const number = counter.next++
  switch (type.kind) {
    case 'struct':
      return union(type, path, counter) ?? struct(type, path, counter)
    case 'list':
      return [value(type.items, name, path, counter), value(type.items, name, path, counter)]
    case 'map':
      return { first: value(type.values, name, path, counter), second: value(type.values, name, path, counter) }
    case 'bool':
      return true
    case 'string':
      return `${name}-${number}`
    case 'bytes':
      return Buffer.from(`${name}-${number}`).toString('base64')
    case 'quantity':
      return String((number % 997) + 1)
    case 'intOrString':
      return number % 2 === 0 ? number : `${name}-${number}`
    case 'time':
      return new Date(number * 86_400_000).toISOString().replace('.000', '')
    case 'microTime':
      return new Date(number * 86_400_000 + 123).toISOString().replace('Z', '000Z')
    case 'duration':
      return `${number}h0m0s`
    case 'rawExtension':
    case 'fieldsV1':
    case 'json':
      return { [name]: number }
    case 'double':
      return number + 0.5
    case 'int64':
    case 'uint64':
      return 2 ** 40 + number
    default:
      return number
  }
}

/** Builds a value of an apiextensions union type, with one of its possible JSON types. */
function union(type: StructSchema, path: readonly string[], counter: Counter): JsonValue | undefined {
  if (!type.name.startsWith('JSONSchemaPropsOr')) return undefined
  if (type.name === 'JSONSchemaPropsOrStringArray') return ['a', 'b']
  const props = type.fields.map((field) => targetStruct(field.type)).find((target) => target !== undefined)!
  if (path.filter((name) => name === props.definition).length > maxRepeats) return type.name === 'JSONSchemaPropsOrBool' ? true : null
  const schema = struct(props, path, counter)
  return type.name === 'JSONSchemaPropsOrArray' ? [schema] : schema
}
