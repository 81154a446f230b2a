import { isJsonObject } from '@keelson/apimachinery'
import type { Schema } from './hub-spec.ts'

/** A member of a schema that contains other schemas, and the place of one of them: a name, an index, or undefined for the member itself. */
export interface Subschema {
  readonly schema: Schema
  readonly member: keyof Schema
  readonly at?: string | number
}

/** Returns the schemas directly below a schema, in the order in which kube-apiserver validates them. */
export function subschemasOf(schema: Schema): Subschema[] {
  const subschemas: Subschema[] = []
  const add = (member: keyof Schema, value: unknown, at?: string | number): void => {
    if (isSchema(value)) subschemas.push({ schema: value, member, ...(at !== undefined && { at }) })
  }
  const addAll = (member: keyof Schema, values: readonly unknown[] | undefined): void =>
    values?.forEach((value, i) => add(member, value, i))
  const addMembers = (member: keyof Schema, values: Readonly<Record<string, unknown>> | undefined): void => {
    for (const name in values) add(member, values[name], name)
  }
  add('additionalProperties', schema.additionalProperties)
  addMembers('properties', schema.properties)
  addMembers('patternProperties', schema.patternProperties)
  add('not', schema.not)
  addAll('allOf', schema.allOf)
  addAll('oneOf', schema.oneOf)
  addAll('anyOf', schema.anyOf)
  addMembers('definitions', schema.definitions)
  if (Array.isArray(schema.items)) addAll('items', schema.items as readonly unknown[])
  else add('items', schema.items)
  addMembers('dependencies', schema.dependencies)
  add('additionalItems', schema.additionalItems)
  return subschemas
}

/** Returns the single schema in a member that may also be a list or a boolean; undefined if it is one of those. */
export function schemaIn(value: unknown): Schema | undefined {
  return isSchema(value) ? value : undefined
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && isJsonObject(value as never)
}

/** Visits all schemas at and below a schema. Iterative, because schemas may be nested deeply. Stops when `visit` returns true. */
export function someSchema(root: Schema, visit: (schema: Schema) => boolean): boolean {
  const open: Schema[] = [root]
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (visit(schema)) return true
    for (const below of subschemasOf(schema)) open.push(below.schema)
  }
  return false
}

/** Returns whether an object has no members. Unlike `Object.keys`, takes constant time. */
export function isEmpty(object: object): boolean {
  for (const _name in object) return false
  return true
}
