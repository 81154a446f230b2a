import type { FieldSchema, StructSchema, TypeSchema } from '@keelson/apimachinery'

export type Component = { [member: string]: unknown }

const apimachinery = 'io.k8s.apimachinery.pkg'

/** Types that are components although they are one value in JSON. */
export const scalarComponents: Readonly<Record<string, Component>> = {
  [`${apimachinery}.api.resource.Quantity`]: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  [`${apimachinery}.util.intstr.IntOrString`]: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  [`${apimachinery}.apis.meta.v1.Time`]: { type: 'string', format: 'date-time' },
  [`${apimachinery}.apis.meta.v1.MicroTime`]: { type: 'string', format: 'date-time' },
  [`${apimachinery}.apis.meta.v1.Duration`]: { type: 'string' },
  [`${apimachinery}.apis.meta.v1.FieldsV1`]: { type: 'object' },
  [`${apimachinery}.apis.meta.v1.Patch`]: { type: 'object' },
  [`${apimachinery}.runtime.RawExtension`]: { type: 'object' },
}

const scalars: Readonly<Record<string, Component>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'int64' },
  uint64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  json: {},
  quantity: reference(`${apimachinery}.api.resource.Quantity`),
  intOrString: reference(`${apimachinery}.util.intstr.IntOrString`),
  time: reference(`${apimachinery}.apis.meta.v1.Time`),
  microTime: reference(`${apimachinery}.apis.meta.v1.MicroTime`),
  duration: reference(`${apimachinery}.apis.meta.v1.Duration`),
  fieldsV1: reference(`${apimachinery}.apis.meta.v1.FieldsV1`),
  rawExtension: reference(`${apimachinery}.runtime.RawExtension`),
}

export function reference(definition: string): Component {
  return { $ref: `#/components/schemas/${definition}` }
}

/** One struct as an OpenAPI schema. Structs it refers to are told to `refer`, scalars that are components are always there. */
export function structComponent(schema: StructSchema, refer: (schema: StructSchema) => void): Component {
  const properties: Component = {}
  if (schema.gvk !== undefined) for (const name of ['apiVersion', 'kind']) properties[name] = { type: 'string' }
  for (const field of schema.fields) properties[field.name] = property(field, refer)
  const required = schema.fields.filter((field) => field.required === true).map((field) => field.name)
  const sorted = Object.fromEntries(Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : undefined),
    ...(schema.fields.length > 0 ? { properties: sorted } : undefined),
    ...(schema.mapType === undefined ? undefined : { 'x-kubernetes-map-type': schema.mapType }),
    ...(schema.gvk === undefined ? undefined : { 'x-kubernetes-group-version-kind': [{ ...schema.gvk }] }),
  }
}

function property(field: FieldSchema, refer: (schema: StructSchema) => void): Component {
  const type = typeComponent(field.type, refer)
  const more: Component = {
    ...(field.default === undefined ? undefined : { default: field.default }),
    ...(field.patchStrategy === undefined ? undefined : { 'x-kubernetes-patch-strategy': field.patchStrategy.join(',') }),
    ...(field.patchMergeKey === undefined ? undefined : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
  }
  if (Object.keys(more).length === 0) return type
  // Nothing may stand beside a reference.
  return '$ref' in type ? { allOf: [type], ...more } : { ...type, ...more }
}

function typeComponent(type: TypeSchema, refer: (schema: StructSchema) => void): Component {
  switch (type.kind) {
    case 'struct':
      refer(type)
      return reference(type.definition)
    case 'list':
      return {
        type: 'array',
        items: typeComponent(type.items, refer),
        ...(type.mapKeys === undefined ? undefined : { 'x-kubernetes-list-map-keys': type.mapKeys }),
        ...(type.listType === undefined ? undefined : { 'x-kubernetes-list-type': type.listType }),
      }
    case 'map':
      return {
        type: 'object',
        additionalProperties: typeComponent(type.values, refer),
        ...(type.mapType === undefined ? undefined : { 'x-kubernetes-map-type': type.mapType }),
      }
    default:
      return scalars[type.kind] ?? {}
  }
}
