import type { FieldSchema, ScalarType, StructSchema, TypeSchema } from '@keelson/apimachinery'
import type { OpenAPISchema } from './open-api-schema.ts'
import { componentPrefix } from './open-api-schema.ts'
import { declaredStruct } from '../schema/parse-field.ts'
import { unionsOf } from './discriminated.ts'
import { inlineScalars, scalarComponents, scalarZeros } from './scalar-components.ts'

/** Unions in JSON, which kube-apiserver's OpenAPI v3 leaves without a schema. */
const unions = /^JSONSchemaPropsOr(Array|Bool|StringArray)$/

/** Converts a type to an OpenAPI v3 schema. Other types become references to components. */
export function toOpenAPIv3(schema: StructSchema): OpenAPISchema {
  if (unions.test(schema.name)) return {}
  const fields = schema.fields.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const required = schema.fields.filter((field) => field.required).map((field) => field.name)
  const discriminating = unionsOf(schema.definition)
  return {
    // kubectl patches and validates by published properties, so a kind that keeps every member publishes none, as a CRD without a schema does.
    ...(fields.length > 0 &&
      !(schema.keepsUnknown && schema.gvk) && { properties: Object.fromEntries(fields.map((field) => [field.name, property(field)])) }),
    ...(required.length > 0 && { required }),
    type: 'object',
    ...(schema.gvk && {
      'x-kubernetes-group-version-kind': [{ group: schema.gvk.group, kind: schema.gvk.kind, version: schema.gvk.version }],
    }),
    ...(schema.keepsUnknown && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(schema.mapType && { 'x-kubernetes-map-type': schema.mapType }),
    ...(discriminating && { 'x-kubernetes-unions': discriminating }),
  }
}

/**
 * Collects the types and all types they refer to, sorted by definition name. Uncached: keep the serialized document instead of the value.
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

/** Converts a field's type. References are wrapped in `allOf`, so that other keywords may stand next to them. */
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

/**
 * Converts the type of a list item or map value, which is always written and so has a default. Without a default, the reference stands
 * alone.
 */
function element(type: TypeSchema): OpenAPISchema {
  const value = zeroOf(type)
  const schema = typeSchema(type)
  if (value !== undefined) return { ...schema, default: value }
  return schema.allOf?.[0] ?? schema
}

function reference(definition: string): OpenAPISchema {
  return { $ref: componentPrefix + definition }
}
