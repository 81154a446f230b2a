import type { JsonValue } from './meta.ts'
import type { GroupVersionKind } from './names.ts'

/** Schema of an API type as data, for decoding, defaults, patches, apply and OpenAPI. The schemas themselves are in `@keelson/api`. */
export type TypeSchema = ScalarSchema | ListSchema | MapSchema | StructSchema

/** Types whose JSON is a single value, and types whose JSON the schema does not describe (`rawExtension`, `fieldsV1`, `json`). */
export type ScalarType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'uint64'
  | 'double'
  | 'bytes' // base64 string in JSON
  | 'quantity'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'duration'
  | 'rawExtension'
  | 'fieldsV1'
  | 'json'

/** A type that may have a name in Go, for error messages. */
interface GoNamed {
  /** Name of the Go type in error messages, if the type is named: "v1.ServiceType", "v1.ResourceList". */
  readonly goName?: string
}

export interface ScalarSchema extends GoNamed {
  readonly kind: ScalarType
}

export interface ListSchema extends GoNamed {
  readonly kind: 'list'
  readonly items: TypeSchema
  /** Value of x-kubernetes-list-type. An absent value means atomic. */
  readonly listType?: 'atomic' | 'set' | 'map'
  readonly mapKeys?: readonly string[]
  /** True if the items are pointers in Go. Null items and empty items then stay distinct. */
  readonly pointerItems?: boolean
}

export interface MapSchema extends GoNamed {
  readonly kind: 'map'
  readonly values: TypeSchema
  readonly mapType?: 'granular' | 'atomic'
}

export interface StructSchema extends GoNamed {
  readonly kind: 'struct'
  /** Name of the Go type in error messages: "Pod", "PodSpec". */
  readonly name: string
  /** OpenAPI definition name: "io.k8s.api.core.v1.Pod". */
  readonly definition: string
  /** The fields in the order of JSON, including those of inlined structs. */
  readonly fields: readonly FieldSchema[]
  readonly byName: ReadonlyMap<string, FieldSchema>
  readonly mapType?: 'granular' | 'atomic'
  readonly gvk?: GroupVersionKind
  /**
   * True to keep members that are not fields (`x-kubernetes-preserve-unknown-fields`). They stay unchanged and follow the fields, sorted by name.
   * By default, they are dropped.
   */
  readonly keepsUnknown?: boolean
}

export interface FieldSchema {
  /** Name of the field in JSON. */
  readonly name: string
  readonly type: TypeSchema
  /** Go names of the inlined structs that contain the field, outermost first, for error messages. A Volume's hostPath has ["VolumeSource"]. */
  readonly embedded?: readonly string[]
  /** Condition under which JSON omits the field: "empty" (omitempty in Go) or "zero" (omitzero). Without this member, the field is always written. */
  readonly omit?: 'empty' | 'zero'
  /** True if the field is a pointer in Go. An absent field then differs from a zero value. */
  readonly pointer?: boolean
  /** True if `required` in OpenAPI lists the field. */
  readonly required?: boolean
  readonly default?: JsonValue
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly patchMergeKey?: string
  /** Name of the field in Go, if it is not `name` with an upper-case first letter: "FSType". Set for types that error messages print completely. */
  readonly goField?: string
}

/**
 * Builds a struct schema from its fields.
 *
 * @example
 * const size: FieldSchema = { name: 'size', type: { kind: 'int32' }, required: true }
 * const spec = createStructSchema({ name: 'WidgetSpec', definition: 'com.example.v1.WidgetSpec', fields: [size] })
 */
export function createStructSchema(definition: Omit<StructSchema, 'kind' | 'byName'>): StructSchema {
  return { ...definition, kind: 'struct', byName: new Map(definition.fields.map((field): [string, FieldSchema] => [field.name, field])) }
}

/** Formats a type as in Go, for error messages: `int32`, `[]v1.Container`, `map[string]string`. */
export function goTypeName(schema: TypeSchema): string {
  if (schema.goName !== undefined) return schema.goName
  switch (schema.kind) {
    case 'list':
      return `[]${schema.pointerItems === true ? '*' : ''}${goTypeName(schema.items)}`
    case 'map':
      return `map[string]${goTypeName(schema.values)}`
    case 'struct':
      return `${readPackage(schema.definition)}.${schema.name}`
    default:
      return scalarNames[schema.kind] ?? schema.kind
  }
}

/** Returns the Go package name in an OpenAPI definition name: "v1" for "io.k8s.api.core.v1.PodSpec". */
function readPackage(definition: string): string {
  return definition.split('.').at(-2) ?? ''
}

const scalarNames: Readonly<Record<string, string>> = {
  double: 'float64',
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  duration: 'v1.Duration',
  rawExtension: 'runtime.RawExtension',
  fieldsV1: 'v1.FieldsV1',
  json: 'v1.JSON',
}
