import type { FieldSchema, StructSchema } from '../type-schema.ts'

/** Builds a struct schema for tests. */
export function createStructSchema(fields: readonly FieldSchema[], mapType?: 'atomic'): StructSchema {
  const byName = new Map(fields.map((field) => [field.name, field]))
  return { kind: 'struct', name: 'S', definition: 'S', fields, byName, ...(mapType && { mapType }) }
}
