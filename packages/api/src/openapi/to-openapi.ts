import type { FieldSchema, ScalarType, StructSchema, TypeSchema, GroupVersionKind, JsonValue } from '@keelson/apimachinery'
import { declaredStruct } from '../schema/schema-table.ts'
import { describeStruct } from './descriptions.ts'
import type { Descriptions } from './descriptions.ts'

/** Names of the JSON union types, which have no schema in kube-apiserver's OpenAPI v3. */
const unionTypes = /^JSONSchemaPropsOr(Array|Bool|StringArray)$/

/** Converts a struct to an OpenAPI v3 schema. Other types that it uses become references to components. */
export function toOpenAPIv3(schema: StructSchema, descriptions?: Descriptions): OpenAPISchema {
  const texts = descriptions && describeStruct(schema, descriptions)
  const head = createDescription(texts?.text)
  if (unionTypes.test(schema.name)) return head
  const fields = schema.fields.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const required = schema.fields.filter((field) => field.required).map((field) => field.name)
  const unions = findUnions(schema.definition)
  const describeProperty = (field: FieldSchema): OpenAPISchema => ({
    ...createDescription(texts?.fields.get(field.name)),
    ...property(field),
  })
  return {
    ...head,
    // A kind that keeps every member publishes no properties, like a CRD without a schema. The reason is that kubectl patches and validates by the
    // published properties.
    ...(fields.length > 0 &&
      !(schema.keepsUnknown && schema.gvk) && {
        properties: Object.fromEntries(fields.map((field) => [field.name, describeProperty(field)])),
      }),
    ...(required.length > 0 && { required }),
    type: 'object',
    ...(schema.gvk && {
      'x-kubernetes-group-version-kind': [{ group: schema.gvk.group, kind: schema.gvk.kind, version: schema.gvk.version }],
    }),
    ...(schema.keepsUnknown && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(schema.mapType && { 'x-kubernetes-map-type': schema.mapType }),
    ...(unions && { 'x-kubernetes-unions': unions }),
  }
}

function createDescription(description: string | undefined): OpenAPISchema {
  return description === undefined ? {} : { description }
}

/**
 * Converts types and all types that they refer to. The result is sorted by definition name. It is not cached, so callers should keep the
 * serialized document.
 */
export function openAPISchemas(roots: Iterable<StructSchema>, descriptions?: Descriptions): Record<string, OpenAPISchema> {
  const found = new Map<string, OpenAPISchema>()
  const pending = [...roots]
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    if (found.has(schema.definition)) continue
    found.set(schema.definition, toOpenAPIv3(schema, descriptions))
    if (unionTypes.test(schema.name)) continue
    for (const field of schema.fields) {
      const leaf = leafOf(field.type)
      if (leaf.kind === 'struct') pending.push(declaredStruct(leaf))
      else {
        const component = scalarComponents[leaf.kind as ScalarType]
        if (component === undefined || found.has(component[0])) continue
        const [name, definition] = component
        found.set(name, { ...createDescription(descriptions?.find(name)?.text), ...definition })
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
  if (type.kind === 'struct') return unionTypes.test(type.name) ? undefined : {}
  return type.kind === 'list' || type.kind === 'map' ? undefined : scalarZeros[type.kind]
}

/** Converts the type of a field. Wraps a reference in `allOf`, because other keywords may not be siblings of a reference. */
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
 * Converts the type of list items or map values. Such a value is always written, so its schema has a default if the type has one. A reference
 * without a default is not wrapped in `allOf`.
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

/** An OpenAPI v3 schema object, with the members that API types need. */
export interface OpenAPISchema {
  readonly $ref?: string
  readonly description?: string
  readonly type?: 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string'
  readonly format?: string
  readonly default?: JsonValue
  readonly allOf?: readonly OpenAPISchema[]
  readonly oneOf?: readonly OpenAPISchema[]
  readonly items?: OpenAPISchema
  readonly additionalProperties?: OpenAPISchema
  readonly properties?: Readonly<Record<string, OpenAPISchema>>
  readonly required?: readonly string[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-preserve-unknown-fields'?: true
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[]
}

const componentPrefix = '#/components/schemas/'

/** OpenAPI schemas of the scalars that are written inline. */
const inlineScalars: Readonly<Partial<Record<ScalarType, OpenAPISchema>>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { format: 'int32', type: 'integer' },
  int64: { format: 'int64', type: 'integer' },
  uint32: { format: 'int64', type: 'integer' },
  uint64: { format: 'int64', type: 'integer' },
  double: { format: 'double', type: 'number' },
  bytes: { format: 'byte', type: 'string' },
}

/** Zero values of scalars. They are the defaults of fields and items that are always written. */
const scalarZeros: Readonly<Partial<Record<ScalarType, string | number | boolean>>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  uint64: 0,
  double: 0,
}

/** Scalars that have an OpenAPI component of their own. */
const scalarComponents: Readonly<Partial<Record<ScalarType, readonly [definition: string, schema: OpenAPISchema]>>> = {
  quantity: ['io.k8s.apimachinery.pkg.api.resource.Quantity', { oneOf: [{ type: 'string' }, { type: 'number' }] }],
  intOrString: [
    'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  ],
  time: ['io.k8s.apimachinery.pkg.apis.meta.v1.Time', { format: 'date-time', type: 'string' }],
  microTime: ['io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', { format: 'date-time', type: 'string' }],
  duration: ['io.k8s.apimachinery.pkg.apis.meta.v1.Duration', { type: 'string' }],
  rawExtension: ['io.k8s.apimachinery.pkg.runtime.RawExtension', { type: 'object' }],
  fieldsV1: ['io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', { type: 'object' }],
  json: ['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON', {}],
}

/** Unions by definition name. They occur only in OpenAPI documents. `discriminator` is absent if no field selects the member. */
const unionMembers: Readonly<Record<string, { readonly discriminator?: string; readonly members: readonly string[] }>> = {
  'io.k8s.api.core.v1.AppArmorProfile': { discriminator: 'type', members: ['localhostProfile'] },
  'io.k8s.api.core.v1.PodSchedulingGroup': { members: ['podGroupName'] },
  'io.k8s.api.core.v1.SeccompProfile': { discriminator: 'type', members: ['localhostProfile'] },
  'io.k8s.api.flowcontrol.v1.LimitResponse': { discriminator: 'type', members: ['queuing'] },
  'io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec': { discriminator: 'type', members: ['exempt', 'limited'] },
  'io.k8s.api.flowcontrol.v1.Subject': { discriminator: 'kind', members: ['group', 'serviceAccount', 'user'] },
  'io.k8s.api.scheduling.v1alpha2.PodGroupSchedulingPolicy': { members: ['basic', 'gang'] },
  'io.k8s.api.scheduling.v1alpha2.PodGroupTemplateReference': { members: ['workload'] },
}

/** Returns the value of the extension `x-kubernetes-unions` for a definition; undefined if it is not a union. */
function findUnions(definition: string): readonly object[] | undefined {
  if (!Object.hasOwn(unionMembers, definition)) return undefined
  const { discriminator, members } = unionMembers[definition]!
  const fields = Object.fromEntries(members.map((name) => [name, name[0]!.toUpperCase() + name.slice(1)]))
  return [{ ...(discriminator && { discriminator }), 'fields-to-discriminateBy': fields }]
}
