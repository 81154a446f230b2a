import { finishTask } from '@keelson/apimachinery'
import type { JSONSchemaProps, ValidationRule } from '@keelson/api/apiextensions/v1'
import type { DeepReadonly, Task } from '@keelson/apimachinery'
import type { SchemaKind, SchemaType } from '@keelson/cel'

export type Schema = DeepReadonly<JSONSchemaProps>
/** An entry of `x-kubernetes-validations`. */
export type Rule = DeepReadonly<ValidationRule>
type Properties = Readonly<Record<string, Schema>>

/** Converts schemas to the types that expressions see. Equal types are the same object, because real definitions repeat large parts. */
export class SchemaTypes {
  readonly #types = new Map<string, SchemaType>()
  readonly #ids = new Map<SchemaType, number>()
  readonly #known = new Map<Schema, SchemaType>()

  /** Returns the type of a schema. Resource roots have a kind, an apiVersion and a name, even if the schema does not mention them. */
  of(schema: Schema, isResourceRoot: boolean = isEmbeddedResource(schema)): SchemaType {
    const existing = this.#known.get(schema)
    if (existing !== undefined) return existing
    // The types of inner schemas are converted first, so that deeply nested schemas cannot overflow the stack.
    for (const inner of listSchemasInnermostFirst(schema, (each) => this.#known.has(each))) {
      this.#known.set(inner, this.#convert(inner, inner === schema ? isResourceRoot : isEmbeddedResource(inner)))
    }
    return this.#known.get(schema)!
  }

  /** Returns a number that identifies a type that `of` returned. */
  getId(type: SchemaType): number {
    return this.#ids.get(type)!
  }

  #convert(schema: Schema, isResourceRoot: boolean): SchemaType {
    const kind = decideKind(schema, isResourceRoot)
    const isNullable = schema.nullable === true
    switch (kind) {
      case 'object':
        return this.#object(schema.properties ?? {}, { isResourceRoot, isNullable })
      case 'map':
        return this.#withElement({ kind, isNullable }, schema.additionalProperties as Schema)
      case 'list':
      case 'set':
        return this.#list({ kind, isNullable }, schema)
      case 'mapList':
        return this.#list({ kind, isNullable, listKeys: schema['x-kubernetes-list-map-keys'] ?? [] }, schema)
      default:
        return this.#shared({ kind, isNullable, isDeclared: kind !== 'preserved' && kind !== 'invalid' })
    }
  }

  #object(
    written: Properties,
    { isResourceRoot, isNullable }: { readonly isResourceRoot: boolean; readonly isNullable: boolean },
  ): SchemaType {
    const fields = new Map<string, SchemaType>()
    const properties = isResourceRoot ? withTypeAndMeta(written) : written
    for (const [name, property] of Object.entries(properties)) fields.set(name, this.of(property))
    const impliedFields = properties === written ? [] : ['apiVersion', 'kind', 'metadata'].filter((name) => !Object.hasOwn(written, name))
    return this.#shared({ kind: 'object', isNullable, fields, isDeclared: true, ...(impliedFields.length === 0 ? {} : { impliedFields }) })
  }

  #list(type: Omit<SchemaType, 'isDeclared'>, schema: Schema): SchemaType {
    const items = getItemSchema(schema)
    return items === undefined ? this.#shared({ ...type, isDeclared: false }) : this.#withElement(type, items)
  }

  #withElement(type: Omit<SchemaType, 'isDeclared'>, schema: Schema): SchemaType {
    const element = this.of(schema)
    return this.#shared({ ...type, element, isDeclared: element.isDeclared })
  }

  /** Returns the type that was first passed among all equal ones. */
  #shared(type: SchemaType): SchemaType {
    let key = `${type.kind} ${type.isNullable} ${type.element === undefined ? '' : this.#ids.get(type.element)}`
    if (type.listKeys !== undefined) key += JSON.stringify(type.listKeys)
    if (type.impliedFields !== undefined) key += JSON.stringify(type.impliedFields)
    // The length separates a name from what follows, because a name may contain any character.
    for (const [name, field] of type.fields ?? []) key += ` ${name.length} ${name} ${this.#ids.get(field)}`
    const existing = this.#types.get(key)
    if (existing !== undefined) return existing
    this.#ids.set(type, this.#types.size)
    this.#types.set(key, type)
    return type
  }
}

const stringKinds: Readonly<Record<string, SchemaKind>> = { byte: 'bytes', date: 'date', 'date-time': 'dateTime', duration: 'duration' }
const listKinds: Readonly<Record<string, SchemaKind>> = { map: 'mapList', set: 'set' }
const simpleKinds: Readonly<Record<string, SchemaKind>> = { boolean: 'boolean', integer: 'integer', number: 'number' }

const declaredTypes: ReadonlySet<string> = new Set(['boolean', 'integer', 'number', 'object', 'string'])

function decideKind(schema: Schema, isResourceRoot: boolean): SchemaKind {
  if (schema['x-kubernetes-int-or-string'] === true) return 'intOrString'
  switch (schema.type) {
    case 'object':
      if (isResourceRoot || hasProperties(schema)) return 'object'
      return getValueSchema(schema) === undefined ? 'record' : 'map'
    case 'array':
      return listKinds[schema['x-kubernetes-list-type'] ?? ''] ?? 'list'
    case 'string':
      return stringKinds[schema.format ?? ''] ?? 'string'
    case 'boolean':
    case 'integer':
    case 'number':
      return simpleKinds[schema.type]!
    default:
      return schema['x-kubernetes-preserve-unknown-fields'] === true ? 'preserved' : 'invalid'
  }
}

/**
 * Returns whether expressions can read values of a schema. They cannot read untyped values, and lists and maps of untyped values.
 * `isReadable` returns it for the schema of elements.
 */
export function isDeclared(schema: Schema, isReadable: (elements: Schema) => boolean = isDeclared): boolean {
  if (schema['x-kubernetes-int-or-string'] === true) return true
  const elements = schema.type === 'array' ? (getItemSchema(schema) ?? {}) : schema.type === 'object' ? getValueSchema(schema) : undefined
  return elements === undefined ? declaredTypes.has(schema.type ?? '') : isReadable(elements)
}

/** Number of properties that are listed in one step. A schema may have tens of thousands. */
const propertiesPerStep = 500

/** Returns a schema and all schemas within it, inner ones first. Leaves out schemas for which `isKnown` is true, and those within them. */
export function listSchemasInnermostFirst(root: Schema, isKnown?: (schema: Schema) => boolean): readonly Schema[] {
  return finishTask(listInnermostFirst(root, isKnown))
}

/** Returns a schema and all schemas within it like `listSchemasInnermostFirst`. Yields after each schema. */
export function* listInnermostFirst(root: Schema, isKnown: (schema: Schema) => boolean = () => false): Task<readonly Schema[]> {
  const open = [root]
  const schemas: Schema[] = []
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (isKnown(schema)) continue
    schemas.push(schema)
    for (const name in schema.properties) {
      open.push(schema.properties[name]!)
      if (open.length % propertiesPerStep === 0) yield
    }
    const items = getItemSchema(schema)
    if (items !== undefined) open.push(items)
    const values = getValueSchema(schema)
    if (values !== undefined) open.push(values)
    yield
  }
  return schemas.reverse()
}

export function isEmbeddedResource(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true
}

export function hasProperties({ properties }: Schema): boolean {
  return properties !== undefined && Object.keys(properties).length > 0
}

/** Returns the schema of the values of a map; undefined for other schemas. */
export function getValueSchema({ additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

function isSchemaList(items: Schema['items']): items is readonly Schema[] {
  return Array.isArray(items)
}

/** Returns the schema of the elements of a list; undefined for other schemas. */
export function getItemSchema({ items }: Schema): Schema | undefined {
  return isSchemaList(items) ? undefined : items
}

const string: Schema = { type: 'string' }
const nameProperties: Properties = { name: string, generateName: string }

/** Adds the properties of every resource, unless the schema has all of them. */
export function withTypeAndMeta(properties: Properties): Properties {
  const { kind, apiVersion, metadata } = properties
  const names = metadata?.type === 'object' ? metadata.properties : undefined
  const isComplete = [kind, apiVersion, names?.['name'], names?.['generateName']].every((schema) => schema?.type === 'string')
  return isComplete
    ? properties
    : { ...properties, kind: string, apiVersion: string, metadata: { type: 'object', properties: { ...nameProperties } } }
}
