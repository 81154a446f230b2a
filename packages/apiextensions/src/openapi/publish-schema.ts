import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import type { OpenAPIVersion, PublishedSchema } from '@keelson/api/openapi'
import { compareUtf8 } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { createEmbeddedProperties } from './meta-properties.ts'
import type { Properties } from './meta-properties.ts'

export type DefinitionSchema = DeepReadonly<JSONSchemaProps>

/** A computation with pauses. Its caller may run other work at each yield. */
export type Paused<Result> = Generator<undefined, Result, undefined>

/**
 * Returns the published form of a schema of a definition. Version 3 adds the alternatives of `x-kubernetes-int-or-string`. Version 2 omits
 * junctors and defaults, and the types of values that may be null or have unknown fields, because kubectl would reject such values.
 * `properties` replace those of the schema.
 */
export function publishSchema(schema: DefinitionSchema, version: OpenAPIVersion, properties?: Properties): Paused<PublishedSchema> {
  return new Publisher(version).publish(schema, properties)
}

/** Number of schemas that are published between two pauses. */
const schemasPerPause = 64

/** The members of a schema before its subschemas, in the order of kube-apiserver's documents. */
const headMembers = [
  'description',
  'type',
  'nullable',
  'format',
  'title',
  'default',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
] as const

const junctors = ['allOf', 'oneOf', 'anyOf'] as const

const extensionMembers = [
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
] as const

class Publisher {
  readonly #version: OpenAPIVersion
  #count = 0

  constructor(version: OpenAPIVersion) {
    this.#version = version
  }

  *publish(schema: DefinitionSchema, replaced?: Properties): Paused<PublishedSchema> {
    yield* this.#pause()
    const reduced = this.#version === 2 ? reduce(schema) : schema
    const isResource = this.#isResource(schema)
    const published = publishHead(schema, { ...reduced, ...(isResource && { required: withNames(reduced.required) }) }, this.#version)
    const { items } = reduced
    if (items !== undefined) published['items'] = yield* this.publish(items as DefinitionSchema)
    if (this.#version === 3) yield* this.#junctors(published, schema, listAlternatives)
    const fixed = replaced ?? (isResource ? createEmbeddedProperties(this.#version) : undefined)
    const properties = yield* this.#properties(reduced.properties, fixed, (property) => this.publish(property))
    if (properties !== undefined) published['properties'] = properties
    const { additionalProperties } = schema
    if (typeof additionalProperties === 'object') published['additionalProperties'] = yield* this.publish(additionalProperties)
    else if (additionalProperties !== undefined) published['additionalProperties'] = additionalProperties
    return Object.assign(published, publishTail(schema))
  }

  /** Publishes a schema in a junctor. Such schemas only validate values. */
  *#publishValidation(schema: DefinitionSchema): Paused<PublishedSchema> {
    yield* this.#pause()
    const published = publishHead(schema, schema, this.#version)
    if (schema.items !== undefined) published['items'] = yield* this.#publishValidation(schema.items as DefinitionSchema)
    yield* this.#junctors(published, schema, (parentSchema, junctor) => parentSchema[junctor] ?? [])
    const properties = yield* this.#properties(schema.properties, undefined, (property) => this.#publishValidation(property))
    if (properties !== undefined) published['properties'] = properties
    return Object.assign(published, publishTail(schema))
  }

  *#junctors(published: PublishedSchema, schema: DefinitionSchema, alternatives: typeof listAlternatives): Paused<void> {
    for (const junctor of junctors) {
      const list: PublishedSchema[] = []
      for (const alternative of alternatives(schema, junctor)) list.push(yield* this.#publishValidation(alternative))
      if (list.length > 0) published[junctor] = list
    }
    if (schema.not !== undefined) published['not'] = yield* this.#publishValidation(schema.not)
  }

  *#properties(
    properties: DefinitionSchema['properties'],
    fixed: Properties | undefined,
    publish: (property: DefinitionSchema) => Paused<PublishedSchema>,
  ): Paused<PublishedSchema | undefined> {
    const names = new Set([...Object.keys(properties ?? {}), ...(fixed?.keys() ?? [])])
    if (names.size === 0) return undefined
    const published: [string, PublishedSchema][] = []
    for (const name of [...names].sort(compareUtf8)) published.push([name, fixed?.get(name) ?? (yield* publish(properties![name]!))])
    return Object.fromEntries(published)
  }

  /** Returns whether the published schema has the properties of every resource. In version 2, kubectl would then reject unknown fields. */
  #isResource(schema: DefinitionSchema): boolean {
    if (schema['x-kubernetes-embedded-resource'] !== true) return false
    return this.#version === 3 || schema['x-kubernetes-preserve-unknown-fields'] !== true
  }

  *#pause(): Paused<void> {
    if (++this.#count % schemasPerPause === 0) yield
  }
}

function publishHead(
  schema: DefinitionSchema,
  { type, required }: Pick<DefinitionSchema, 'type' | 'required'>,
  version: OpenAPIVersion,
): PublishedSchema {
  const published: PublishedSchema = {}
  for (const name of headMembers) {
    if (version === 2 && (name === 'default' || name === 'nullable')) continue
    const value = name === 'type' ? type : name === 'required' ? required : schema[name]
    if (name === 'default' ? (value ?? null) !== null : !isEmpty(value)) published[name] = value
  }
  return published
}

/** Returns the members of a schema after its subschemas. */
function publishTail(schema: DefinitionSchema): PublishedSchema {
  const { externalDocs, example } = schema
  const published: PublishedSchema = {}
  if (externalDocs !== undefined) {
    const { description, url } = externalDocs
    published['externalDocs'] = { ...(description && { description }), ...(url && { url }) }
  }
  if (example !== undefined && example !== null) published['example'] = example
  for (const name of extensionMembers) if (!isEmpty(schema[name])) published[name] = schema[name]
  return published
}

/** Returns whether a member of a schema is omitted, as in Go's JSON. Zero numbers are not omitted. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Returns the members of a schema that version 2 changes. */
function reduce(schema: DefinitionSchema): Pick<DefinitionSchema, 'type' | 'properties' | 'items' | 'required'> {
  const { nullable, additionalProperties } = schema
  let { type = '', properties, items, required } = schema
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true
  if (nullable === true) type = ''
  if (nullable === true || keepsUnknown) properties = items = undefined
  if ((items === undefined && type === 'array') || (keepsUnknown && type === 'object')) type = ''
  if (properties !== undefined) required = required?.filter((name) => !isNullable(properties, name))
  if (typeof additionalProperties === 'object' && additionalProperties.nullable === true) required = undefined
  return { type, ...(properties && { properties }), ...(items && { items }), ...(required && { required }) }
}

function isNullable(properties: NonNullable<DefinitionSchema['properties']>, name: string): boolean {
  return Object.hasOwn(properties, name) && properties[name]!.nullable === true
}

/** Returns the alternatives of a junctor. An integer or string has the alternatives of both types, unless the schema has them itself. */
function listAlternatives(schema: DefinitionSchema, junctor: (typeof junctors)[number]): readonly DefinitionSchema[] {
  const alternatives = schema[junctor] ?? []
  if (schema['x-kubernetes-int-or-string'] !== true || junctor === 'oneOf') return alternatives
  const { anyOf = [], allOf = [] } = schema
  if (isIntOrString(anyOf) || isIntOrString(allOf[0]?.anyOf ?? [])) return alternatives
  if (junctor === 'anyOf') return anyOf.length === 0 ? intOrString : alternatives
  return anyOf.length === 0 ? alternatives : [{ anyOf: intOrString }, ...alternatives]
}

const intOrString: readonly DefinitionSchema[] = [{ type: 'integer' }, { type: 'string' }]

function isIntOrString(alternatives: readonly DefinitionSchema[]): boolean {
  return alternatives.length === 2 && alternatives[0]!.type === 'integer' && alternatives[1]!.type === 'string'
}

function withNames(required: readonly string[] = []): readonly string[] {
  return [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))]
}
