import type { GroupVersionKind } from './names.ts'
import type { JsonValue } from './meta.ts'

/**
 * Schema facts of a type, as data. They drive decoding, defaulting of JSON, patches, apply and OpenAPI.
 * `@keelson/api` holds the tables; this package only reads them.
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

/** Facts for error messages. */
export interface GoNamed {
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
   * Members that no field describes are kept as they are, behind the others and in order of name
   * (`x-kubernetes-preserve-unknown-fields`). Default false: they are dropped.
   */
  readonly keepsUnknown?: boolean
}

export interface FieldSchema {
  /** The JSON name. */
  readonly name: string
  readonly type: TypeSchema
  /** Go names of the inlined structs that contained it, outermost first (["VolumeSource"] for a Volume's hostPath), for error messages. */
  readonly embedded?: readonly string[]
  /** When JSON omits it: "empty" (Go omitempty), "zero" (omitzero), or never. */
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
