import type { FieldSchema, ScalarType, StructSchema, TypeSchema } from '@keelson/apimachinery'
import type { OpenAPISchema } from './open-api-schema.ts'
import { componentPrefix } from './open-api-schema.ts'
import { declaredStruct } from '../schema/parse-field.ts'
import { unionsOf } from './discriminated.ts'
import { inlineScalars, scalarComponents, scalarZeros } from './scalar-components.ts'

/** Types that are one thing or another in JSON, which OpenAPI v3 as the original uses it does not say. */
const unions = /^JSONSchemaPropsOr(Array|Bool|StringArray)$/

/** One type as OpenAPI v3 schema. Other types are references to components of their definition's name. */
export function toOpenAPIv3(schema: StructSchema): OpenAPISchema {
  if (unions.test(schema.name)) return {}
  const fields = schema.fields.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const required = schema.fields.filter((field) => field.required).map((field) => field.name)
  const discriminating = unionsOf(schema.definition)
  return {
    ...(fields.length > 0 && { properties: Object.fromEntries(fields.map((field) => [field.name, property(field)])) }),
    ...(required.length > 0 && { required }),
    type: 'object',
    ...(schema.gvk && {
      'x-kubernetes-group-version-kind': [{ group: schema.gvk.group, kind: schema.gvk.kind, version: schema.gvk.version }],
    }),
    ...(schema.mapType && { 'x-kubernetes-map-type': schema.mapType }),
    ...(discriminating && { 'x-kubernetes-unions': discriminating }),
  }
}

/**
 * The types and all that they refer to, by definition name, in order of names. Made anew on each call: keep what was made of it (the bytes
 * of a document), not the value.
 */
export function openAPISchemas(roots: Iterable<StructSchema>): Record<string, OpenAPISchema> {
  const found = new Map<string, OpenAPISchema>()
  const pending = [...roots]
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    if (found.has(schema.definition)) continue
    found.set(schema.definition, toOpenAPIv3(schema))
    if (unions.test(schema.name)) continue
    for (const field of schema.fields) {
      const leaf = leafOf(field.type)
      if (leaf.kind === 'struct') pending.push(declaredStruct(leaf))
      else {
        const component = scalarComponents[leaf.kind as ScalarType]
        if (component !== undefined) found.set(...component)
      }
    }
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function leafOf(type: TypeSchema): TypeSchema {
  return type.kind === 'list' ? leafOf(type.items) : type.kind === 'map' ? leafOf(type.values) : type
}

function property(field: FieldSchema): OpenAPISchema {
  const { type } = field
  const alwaysWritten = field.pointer !== true && (field.omit === undefined || type.kind === 'struct')
  const implied = alwaysWritten ? zeroOf(type) : undefined
  const value = field.default ?? implied
  const overridden = type.kind === 'struct' && declaredStruct(type) !== type
  const mapType = type.kind === 'map' || overridden ? type.mapType : undefined
  return {
    ...typeSchema(type),
    ...(value !== undefined && { default: value }),
    ...(type.kind === 'list' && type.listType && { 'x-kubernetes-list-type': type.listType }),
    ...(type.kind === 'list' && type.mapKeys && { 'x-kubernetes-list-map-keys': type.mapKeys }),
    ...(mapType && { 'x-kubernetes-map-type': mapType }),
    ...(field.patchStrategy && { 'x-kubernetes-patch-strategy': field.patchStrategy.join(',') }),
    ...(field.patchMergeKey && { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
  }
}

function zeroOf(type: TypeSchema): OpenAPISchema['default'] {
  if (type.kind === 'struct') return unions.test(type.name) ? undefined : {}
  return type.kind === 'list' || type.kind === 'map' ? undefined : scalarZeros[type.kind]
}

/** A field's type. References stand in `allOf`, beside which other keywords may stand. */
function typeSchema(type: TypeSchema): OpenAPISchema {
  switch (type.kind) {
    case 'list':
      return { items: element(type.items), type: 'array' }
    case 'map':
      return { additionalProperties: element(type.values), type: 'object' }
    case 'struct':
      return { allOf: [reference(type.definition)] }
    default: {
      const component = scalarComponents[type.kind]
      return component === undefined ? { ...inlineScalars[type.kind] } : { allOf: [reference(component[0])] }
    }
  }
}

/** A list's item or a map's value: always written, so with a default; a bare reference where there is none. */
function element(type: TypeSchema): OpenAPISchema {
  const value = zeroOf(type)
  const schema = typeSchema(type)
  if (value !== undefined) return { ...schema, default: value }
  return schema.allOf?.[0] ?? schema
}

function reference(definition: string): OpenAPISchema {
  return { $ref: componentPrefix + definition }
}
