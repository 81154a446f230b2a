import { listType, mapType, createStructType, types } from '../types/type.ts'
import type { StructTypes } from '../environment.ts'
import { reservedWords } from '../syntax/reserved-words.ts'
import type { Type } from '../types/type.ts'
import { escapeFieldName, unescapeFieldName } from './field-names.ts'

/**
 * The CEL type that a JSON value has by its schema. `record` is an object without known properties. `preserved` is a value of any type, which expressions
 * can only compare. `invalid` is a schema that no value matches.
 */
export type SchemaKind =
  | 'boolean'
  | 'bytes'
  | 'date'
  | 'dateTime'
  | 'duration'
  | 'integer'
  | 'intOrString'
  | 'invalid'
  | 'list'
  | 'map'
  | 'mapList'
  | 'number'
  | 'object'
  | 'preserved'
  | 'record'
  | 'set'
  | 'string'

/**
 * The type of a JSON value, derived from an OpenAPI schema. It has what type checking and evaluation need, and no more, because it stays in
 * memory as long as its definition is served. Equal types can be shared.
 */
export interface SchemaType {
  readonly kind: SchemaKind
  readonly isNullable: boolean
  /** Properties of an `object` by their names in JSON. */
  readonly fields?: ReadonlyMap<string, SchemaType>
  /** Fields that every resource has, although the schema does not mention them. */
  readonly impliedFields?: readonly string[]
  /** Type of the elements of a list, or of the values of a `map`. */
  readonly element?: SchemaType
  /** Names of the properties that identify an element of a `mapList`. */
  readonly listKeys?: readonly string[]
  /** Whether expressions can access values of this type. Untyped values and lists and maps of them are inaccessible. */
  readonly isDeclared: boolean
}

/** A schema type as the type checker sees it. */
export interface DeclaredSchema {
  readonly type: Type
  /** The struct types of the objects within the type. */
  readonly structs: StructTypes
}

/** Declares a schema type. The names of its struct types begin with `name` and continue with the path of the object. */
export function declareSchema(schema: SchemaType, name: string): DeclaredSchema {
  const structs = new SchemaStructs()
  return { type: structs.declare(schema, name), structs }
}

const simpleTypes: Readonly<Partial<Record<SchemaKind, Type>>> = {
  boolean: types.bool,
  bytes: types.bytes,
  date: types.timestamp,
  dateTime: types.timestamp,
  duration: types.duration,
  integer: types.int,
  number: types.double,
  string: types.string,
}

/** Maximum number of lists and maps within one another. Elements of deeper ones are dynamic. */
const maxDepth = 200

class SchemaStructs implements StructTypes {
  /** Objects by the names of their struct types. An object within another one is added when an expression first selects it. */
  readonly #objects = new Map<string, SchemaType>()

  /** Declares a type that is within `depth` lists and maps. */
  declare(schema: SchemaType, name: string, depth = 0): Type {
    if (depth > maxDepth) return types.dyn
    switch (schema.kind) {
      case 'object':
      case 'record':
        this.#objects.set(name, schema)
        return createStructType(name)
      case 'map':
        return mapType(types.string, this.declare(schema.element!, `${name}.@elem`, depth + 1))
      case 'list':
      case 'mapList':
      case 'set':
        return listType(this.declare(schema.element!, `${name}.@idx`, depth + 1))
      default:
        return simpleTypes[schema.kind] ?? types.dyn
    }
  }

  find(name: string): Type | undefined {
    return this.#objects.has(name) ? createStructType(name) : undefined
  }

  findField(typeName: string, identifier: string): Type | undefined {
    const { fields } = this.#objects.get(typeName)!
    const field = findField(fields, identifier) ?? (reservedWords.has(identifier) ? findField(fields, `__${identifier}__`) : undefined)
    return field === undefined ? undefined : this.declare(field, `${typeName}.${identifier}`)
  }
}

function findField(fields: SchemaType['fields'], identifier: string): SchemaType | undefined {
  const name = unescapeFieldName(identifier)
  const field = name === undefined ? undefined : fields?.get(name)
  return field?.isDeclared === true && escapeFieldName(name!) === identifier ? field : undefined
}
