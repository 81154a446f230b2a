import type { JsonValue } from '@keelson/apimachinery'
import type { JsonSchema, StructuralSchema } from './json-schema.ts'

/** Keywords that structural schemas have with the same meaning. */
const keptKeywords = [
  'description',
  'default',
  'format',
  'maximum',
  'minimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
  'nullable',
] as const

/** Parts of regular expressions that RE2 does not have: lookaround and references to groups. */
const unsupportedPattern = /\(\?(?:[=!]|<[=!])|\\[1-9]|\\k</

type Definitions = Readonly<Record<string, JsonSchema>>

interface Context {
  readonly definitions: Definitions
  /** References that are being resolved. A reference to one of them is recursive. */
  readonly open: readonly string[]
}

/**
 * Converts a JSON Schema to a structural schema, which a definition needs: each field has one type, and there are no references. A field
 * without a structural form (a recursive type, a union of different types, a tuple) accepts any value.
 */
export function createStructuralSchema(schema: JsonSchema): StructuralSchema {
  const definitions = { ...(schema['definitions'] as Definitions), ...(schema['$defs'] as Definitions) }
  return convert(schema, { definitions, open: [] })
}

function convert(schema: JsonSchema, context: Context): StructuralSchema {
  const reference = schema['$ref']
  if (typeof reference === 'string') return convertReference(reference, schema, context)
  const branches = (schema['anyOf'] ?? schema['oneOf']) as readonly JsonSchema[] | undefined
  if (branches !== undefined) return { ...uniteBranches(branches, context), ...keepKeywords(schema) }
  if (Array.isArray(schema['allOf'])) return convert(intersect(schema, schema['allOf'] as readonly JsonSchema[]), context)
  if (Array.isArray(schema['type'])) {
    const types: JsonSchema[] = []
    for (const type of schema['type'] as readonly string[]) types.push({ ...schema, type })
    return { ...uniteBranches(types, context), ...keepKeywords(schema) }
  }
  const kept = keepKeywords(schema)
  if (schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true) {
    const { type } = schema
    return { ...kept, ...(typeof type === 'string' && { type }), ...convertProperties(schema, context) }
  }
  switch (schema['type'] ?? guessType(schema)) {
    case 'object':
      return { type: 'object', ...kept, ...convertProperties(schema, context) }
    case 'array':
      return { type: 'array', ...kept, items: convertItems(schema, context) }
    case 'string':
      return { type: 'string', ...kept }
    case 'boolean':
      return { type: 'boolean', ...kept }
    case 'number':
      return { type: 'number', ...kept, ...convertBounds(schema) }
    case 'integer':
      return { type: 'integer', ...kept, ...convertBounds(schema) }
    default:
      return acceptAnything(schema)
  }
}

function convertReference(reference: string, schema: JsonSchema, context: Context): StructuralSchema {
  const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(reference)?.[1] ?? ''
  const target = context.definitions[name]
  if (target === undefined) throw new TypeError(`the schema refers to ${reference}, which it does not define`)
  if (context.open.includes(reference)) return acceptAnything(schema)
  return { ...convert(target, { ...context, open: [...context.open, reference] }), ...keepKeywords(schema) }
}

/** Copies the keywords that need no conversion, and all extensions. */
function keepKeywords(schema: JsonSchema): StructuralSchema {
  const kept: StructuralSchema = {}
  for (const keyword of keptKeywords) if (schema[keyword] !== undefined) kept[keyword] = schema[keyword] as never
  for (const keyword of Object.keys(schema)) if (keyword.startsWith('x-kubernetes-')) kept[keyword] = schema[keyword]
  if (schema['const'] !== undefined) kept.enum = [schema['const'] as JsonValue]
  if (typeof kept['pattern'] === 'string' && unsupportedPattern.test(kept['pattern'])) delete kept['pattern']
  return kept
}

function acceptAnything(schema: JsonSchema): StructuralSchema {
  const { description } = schema as { readonly description?: string }
  return { ...(description !== undefined && { description }), 'x-kubernetes-preserve-unknown-fields': true }
}

/** Returns the type of a schema that names its values, or that has the keywords of one type. */
function guessType(schema: JsonSchema): string | undefined {
  const values = (schema['enum'] ?? (schema['const'] === undefined ? [] : [schema['const']])) as readonly unknown[]
  const types = new Set(values.map((value) => typeof value))
  if (types.size === 1) return [...types][0]
  if (schema['properties'] !== undefined) return 'object'
  return schema['items'] === undefined ? undefined : 'array'
}

function convertProperties(schema: JsonSchema, context: Context): StructuralSchema {
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>> | undefined
  const additional = schema['additionalProperties'] as JsonSchema | boolean | undefined
  if (properties !== undefined) {
    const converted = Object.entries(properties).map(([name, property]) => [name, convert(property, context)] as const)
    const isOpen = additional !== undefined && additional !== false
    return { properties: Object.fromEntries(converted), ...(isOpen && { 'x-kubernetes-preserve-unknown-fields': true }) }
  }
  if (additional === undefined || additional === false) return {}
  return additional === true ? { 'x-kubernetes-preserve-unknown-fields': true } : { additionalProperties: convert(additional, context) }
}

function convertItems(schema: JsonSchema, context: Context): StructuralSchema {
  const { items } = schema
  const isOneSchema = typeof items === 'object' && items !== null && !Array.isArray(items) && schema['prefixItems'] === undefined
  return isOneSchema ? convert(items as JsonSchema, context) : acceptAnything({})
}

/** Converts exclusive bounds to the form of OpenAPI 3.0. Leaves out the bounds of safe integers, which say nothing about the field. */
function convertBounds(schema: JsonSchema): StructuralSchema {
  const bounds: StructuralSchema = {}
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const limit = schema[exclusive]
    if (limit === true) bounds[exclusive] = true
    if (typeof limit === 'number') Object.assign(bounds, { [bound]: limit, [exclusive]: true })
    if (Math.abs(schema[bound] as number) === Number.MAX_SAFE_INTEGER) bounds[bound] = undefined
  }
  return bounds
}

function intersect({ allOf: _allOf, ...schema }: JsonSchema, members: readonly JsonSchema[]): JsonSchema {
  const merged: Record<string, unknown> = { ...schema }
  for (const member of members) {
    const properties = { ...(merged['properties'] as object | undefined), ...(member['properties'] as object | undefined) }
    const required = [...new Set([...((merged['required'] as string[]) ?? []), ...((member['required'] as string[]) ?? [])])]
    Object.assign(merged, member, Object.keys(properties).length > 0 && { properties }, required.length > 0 && { required })
  }
  return merged
}

/** Returns a schema that accepts every value of the branches. */
function uniteBranches(branches: readonly JsonSchema[], context: Context): StructuralSchema {
  const values = branches.filter(({ type }) => type !== 'null').map((branch) => convert(branch, context))
  const nullable = values.length < branches.length ? { nullable: true } : {}
  return { ...values.reduce<StructuralSchema | undefined>(unite, undefined), ...nullable }
}

function unite(a: StructuralSchema | undefined, b: StructuralSchema): StructuralSchema {
  if (a === undefined) return b
  const types = new Set([a.type, b.type])
  if (types.has('string') && types.has('integer')) return { 'x-kubernetes-int-or-string': true }
  if (types.has('integer') && types.has('number')) return { type: 'number' }
  if (types.size > 1) return acceptAnything({})
  if (a.type === 'object') return uniteObjects(a, b)
  if (a.enum !== undefined && b.enum !== undefined) return { ...(a.type && { type: a.type }), enum: [...new Set([...a.enum, ...b.enum])] }
  if (a.type === 'array') return { type: 'array', items: unite(a.items, b.items ?? acceptAnything({})) }
  return a.type === undefined ? acceptAnything({}) : { type: a.type }
}

function uniteObjects(a: StructuralSchema, b: StructuralSchema): StructuralSchema {
  if (a.properties === undefined || b.properties === undefined) return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const properties = { ...a.properties }
  for (const [name, property] of Object.entries(b.properties)) properties[name] = unite(properties[name], property)
  const required = (a.required ?? []).filter((name) => b.required?.includes(name))
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}
