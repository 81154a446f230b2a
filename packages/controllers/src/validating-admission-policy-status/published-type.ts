import type { SchemaKind, SchemaType } from '@keelson/cel'

/** The members of an OpenAPI v3 schema that determine the type of a value in expressions. */
export interface PublishedSchema {
  readonly $ref?: string
  readonly allOf?: readonly PublishedSchema[]
  readonly type?: string
  readonly format?: string
  readonly items?: PublishedSchema
  readonly additionalProperties?: PublishedSchema | boolean
  readonly properties?: Readonly<Record<string, PublishedSchema>>
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
}

/** Returns the schema to which a reference refers. */
export type FindDefinition = (reference: string) => PublishedSchema | undefined

/** Returns the type of the objects of a kind from its published schema. */
export function toPublishedType(schema: PublishedSchema, find: FindDefinition): SchemaType {
  return new Conversion(find).convert(schema, true)
}

const undeclared: SchemaType = { kind: 'invalid', isNullable: false, isDeclared: false }
const emptyObject: SchemaType = { kind: 'record', isNullable: false, isDeclared: true }
const stringKinds: Readonly<Record<string, SchemaKind>> = { byte: 'bytes', date: 'date', 'date-time': 'dateTime', duration: 'duration' }
const string: PublishedSchema = { type: 'string' }

class Conversion {
  readonly #find: FindDefinition
  /** Types by reference. A reference within itself is an empty object. */
  readonly #types = new Map<string, SchemaType>()

  constructor(find: FindDefinition) {
    this.#find = find
  }

  convert(schema: PublishedSchema, isResource: boolean = schema['x-kubernetes-embedded-resource'] === true): SchemaType {
    const reference = createReference(schema)
    if (reference !== undefined) return this.#referred(reference)
    if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string') return createSimpleType('intOrString')
    switch (schema.type) {
      case 'array':
        return schema.items === undefined ? undeclared : withElement('list', this.convert(schema.items))
      case 'object':
        return this.#object(schema, isResource)
      case 'string':
        return createSimpleType(stringKinds[schema.format ?? ''] ?? 'string')
      case 'boolean':
      case 'integer':
      case 'number':
        return createSimpleType(schema.type)
      default:
        return undeclared
    }
  }

  #referred(reference: string): SchemaType {
    let type = this.#types.get(reference)
    if (type === undefined) {
      const definition = this.#find(reference)
      this.#types.set(reference, emptyObject)
      type = definition === undefined ? undeclared : this.convert(definition)
      this.#types.set(reference, type)
    }
    return type
  }

  #object({ properties = {}, additionalProperties }: PublishedSchema, isResource: boolean): SchemaType {
    if (!isResource && typeof additionalProperties === 'object') return withElement('map', this.convert(additionalProperties))
    const fields = new Map(Object.entries(properties).map(([name, property]) => [name, this.convert(property)]))
    if (isResource && !this.#hasTypeAndMeta(fields)) {
      for (const name of ['kind', 'apiVersion']) fields.set(name, this.convert(string))
      fields.set('metadata', this.convert({ type: 'object', properties: { name: string, generateName: string } }))
    }
    return fields.size === 0 ? emptyObject : { kind: 'object', isNullable: false, isDeclared: true, fields }
  }

  #hasTypeAndMeta(fields: ReadonlyMap<string, SchemaType>): boolean {
    const metadata = fields.get('metadata')?.fields
    const needed = [fields.get('kind'), fields.get('apiVersion'), metadata?.get('name'), metadata?.get('generateName')]
    return needed.every((type) => type?.kind === 'string')
  }
}

function createReference({ $ref, allOf }: PublishedSchema): string | undefined {
  return $ref ?? allOf?.find((each) => each.$ref !== undefined)?.$ref
}

function createSimpleType(kind: SchemaKind): SchemaType {
  return { kind, isNullable: false, isDeclared: true }
}

function withElement(kind: 'list' | 'map', element: SchemaType): SchemaType {
  return element.isDeclared ? { kind, isNullable: false, isDeclared: true, element } : undeclared
}
