import type { FieldSchema, StructSchema } from './type-schema.ts'

/**
 * The schema of a struct that is written by hand.
 *
 * @example
 * const size: FieldSchema = { name: 'size', type: { kind: 'int32' }, required: true }
 * const spec = structSchema({ name: 'WidgetSpec', definition: 'com.example.v1.WidgetSpec', fields: [size] })
 */
export function structSchema(parts: Omit<StructSchema, 'kind' | 'byName'>): StructSchema {
  return { ...parts, kind: 'struct', byName: new Map(parts.fields.map((field): [string, FieldSchema] => [field.name, field])) }
}
