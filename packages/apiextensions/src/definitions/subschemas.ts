import type { Task } from '@keelson/apimachinery'
import { isJsonObject, finishTask } from '@keelson/apimachinery'
import type { Schema } from './hub-spec.ts'

/** A member of a schema that contains other schemas, and the place of one of them: a name, an index, or undefined for the member itself. */
export interface Subschema {
  readonly schema: Schema
  readonly member: keyof Schema
  readonly at?: string | number
}

/** Called with a schema directly below another one, and its place. */
type Visit = (schema: Schema, member: keyof Schema, at?: string | number) => void

/** Returns the schemas directly below a schema, in the order in which kube-apiserver validates them. */
export function* listSubschemas(schema: Schema): Task<readonly Subschema[]> {
  const subschemas: Subschema[] = []
  yield* visitBelow(schema, (below, member, at) => {
    subschemas.push(at === undefined ? { schema: below, member } : { schema: below, member, at })
  })
  return subschemas
}

/** Adds the schemas directly below a schema to a list. */
export function* pushSubschemas(schema: Schema, schemas: Schema[]): Task<void> {
  yield* visitBelow(schema, (below) => schemas.push(below))
}

function* visitBelow(schema: Schema, visit: Visit): Task<void> {
  if (isSchema(schema.additionalProperties)) visit(schema.additionalProperties, 'additionalProperties')
  if (schema.properties !== undefined) yield* visitMembers('properties', schema.properties, visit)
  if (schema.patternProperties !== undefined) yield* visitMembers('patternProperties', schema.patternProperties, visit)
  if (isSchema(schema.not)) visit(schema.not, 'not')
  if (schema.allOf !== undefined) yield* visitItems('allOf', schema.allOf, visit)
  if (schema.oneOf !== undefined) yield* visitItems('oneOf', schema.oneOf, visit)
  if (schema.anyOf !== undefined) yield* visitItems('anyOf', schema.anyOf, visit)
  if (schema.definitions !== undefined) yield* visitMembers('definitions', schema.definitions, visit)
  if (Array.isArray(schema.items)) yield* visitItems('items', schema.items as readonly unknown[], visit)
  else if (isSchema(schema.items)) visit(schema.items, 'items')
  if (schema.dependencies !== undefined) yield* visitMembers('dependencies', schema.dependencies, visit)
  if (isSchema(schema.additionalItems)) visit(schema.additionalItems, 'additionalItems')
}

/** Number of schemas that are visited in one step. A schema may have tens of thousands of properties. */
const visitsPerStep = 500

function* visitMembers(member: keyof Schema, values: Readonly<Record<string, unknown>>, visit: Visit): Task<void> {
  let visits = 0
  for (const name in values) {
    const value = values[name]
    if (isSchema(value)) visit(value, member, name)
    if (++visits % visitsPerStep === 0) yield
  }
}

function* visitItems(member: keyof Schema, values: readonly unknown[], visit: Visit): Task<void> {
  for (const [i, value] of values.entries()) {
    if (isSchema(value)) visit(value, member, i)
    if (i % visitsPerStep === visitsPerStep - 1) yield
  }
}

/** Returns the single schema in a member that may also be a list or a boolean; undefined if it is one of those. */
export function getSingleSchema(value: unknown): Schema | undefined {
  return isSchema(value) ? value : undefined
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && isJsonObject(value as never)
}

/** Visits all schemas at and below a schema. Stops when `visit` returns true. */
export function visitSchemas(root: Schema, visit: (schema: Schema) => boolean): boolean {
  return finishTask(visitSchemasStepwise(root, visit))
}

/** Visits all schemas like `visitSchemas`. Iterative, because schemas may be nested deeply. Yields after each schema. */
export function* visitSchemasStepwise(root: Schema, visit: (schema: Schema) => boolean): Task<boolean> {
  const open: Schema[] = [root]
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (visit(schema)) return true
    if (containsObjects(schema)) yield* pushSubschemas(schema, open)
    yield
  }
  return false
}

/** Returns whether a schema may have subschemas. Most schemas only have texts and numbers, and looking for each kind of subschema takes longer. */
function containsObjects(schema: Schema): boolean {
  for (const name in schema) if (typeof schema[name as keyof Schema] === 'object') return true
  return false
}

/** Returns whether an object has no members. Unlike `Object.keys`, takes constant time. */
export function isEmpty(object: object): boolean {
  for (const _name in object) return false
  return true
}
