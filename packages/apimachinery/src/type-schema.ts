import type { JsonValue } from './meta.ts'
import type { GroupVersionKind } from './names.ts'

/**
 * Schema of a type, as data: for decoding, defaults, patches, apply and OpenAPI. `@keelson/api` contains the tables; this package only
 * reads them.
 */
export type TypeSchema = ScalarSchema | ListSchema | MapSchema | StructSchema

/** Types whose JSON is a single value, or opaque to the schema (`rawExtension`, `fieldsV1`, `json`). */
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

/** A type with a Go name, for error messages. */
interface GoNamed {
  /** The Go type in error messages, if it is a named type: "v1.ServiceType", "v1.ResourceList". */
  readonly goName?: string
}

export interface ScalarSchema extends GoNamed {
  readonly kind: ScalarType
}

export interface ListSchema extends GoNamed {
  readonly kind: 'list'
  readonly items: TypeSchema
  /** x-kubernetes-list-type; absent means atomic. */
  readonly listType?: 'atomic' | 'set' | 'map'
  readonly mapKeys?: readonly string[]
  /** True if items are pointers in Go, which keeps null and empty items distinct. */
  readonly pointerItems?: boolean
}

export interface MapSchema extends GoNamed {
  readonly kind: 'map'
  readonly values: TypeSchema
  readonly mapType?: 'granular' | 'atomic'
}

export interface StructSchema extends GoNamed {
  readonly kind: 'struct'
  /** The Go type's name in error messages: "Pod", "PodSpec". */
  readonly name: string
  /** OpenAPI definition name: "io.k8s.api.core.v1.Pod". */
  readonly definition: string
  /** In JSON order, with inlined structs flattened. */
  readonly fields: readonly FieldSchema[]
  readonly byName: ReadonlyMap<string, FieldSchema>
  readonly mapType?: 'granular' | 'atomic'
  readonly gvk?: GroupVersionKind
  /**
   * True to keep members without a field (`x-kubernetes-preserve-unknown-fields`): unchanged, after the other members, sorted by name. By
   * default, they are dropped.
   */
  readonly keepsUnknown?: boolean
}

export interface FieldSchema {
  /** The JSON name. */
  readonly name: string
  readonly type: TypeSchema
  /** Go names of the inlined structs that contained it, outermost first (["VolumeSource"] for a Volume's hostPath), for error messages. */
  readonly embedded?: readonly string[]
  /** Condition under which JSON omits the field: "empty" (Go's omitempty) or "zero" (omitzero). Without it, the field is always written. */
  readonly omit?: 'empty' | 'zero'
  /** True if absent and zero differ. */
  readonly pointer?: boolean
  /** True if listed in OpenAPI's `required`. */
  readonly required?: boolean
  readonly default?: JsonValue
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly patchMergeKey?: string
  /** The Go name, where it is not `name` with a capital first letter: "FSType". Set for types that error messages print whole. */
  readonly goField?: string
}

/**
 * Builds a struct schema by hand.
 *
 * @example
 * const size: FieldSchema = { name: 'size', type: { kind: 'int32' }, required: true }
 * const spec = structSchema({ name: 'WidgetSpec', definition: 'com.example.v1.WidgetSpec', fields: [size] })
 */
export function structSchema(definition: Omit<StructSchema, 'kind' | 'byName'>): StructSchema {
  return { ...definition, kind: 'struct', byName: new Map(definition.fields.map((field): [string, FieldSchema] => [field.name, field])) }
}

/** Formats a Go type for error messages: `int32`, `[]v1.Container`, `map[string]string`. */
export function goTypeName(schema: TypeSchema): string {
  if (schema.goName !== undefined) return schema.goName
  switch (schema.kind) {
    case 'list':
      return `[]${schema.pointerItems === true ? '*' : ''}${goTypeName(schema.items)}`
    case 'map':
      return `map[string]${goTypeName(schema.values)}`
    case 'struct':
      return `${packageOf(schema.definition)}.${schema.name}`
    default:
      return scalarNames[schema.kind] ?? schema.kind
  }
}

/** Parses "io.k8s.api.core.v1.PodSpec" into "v1". */
function packageOf(definition: string): string {
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
