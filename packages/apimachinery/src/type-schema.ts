import type { GroupVersionKind } from './names.ts'
import type { JsonValue } from './meta.ts'

/**
 * Schema facts of a type, as data. Decoding, defaulting of JSON form, patches, apply and OpenAPI are all driven by these;
 * `@keelson/api` holds the tables, this package only reads them.
 */
export type TypeSchema = ScalarSchema | ListSchema | MapSchema | StructSchema

/** Types whose JSON form is one value, or is opaque to the schema (`rawExtension`, `fieldsV1`, `json`). */
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

/** Facts that only error texts need. */
export interface GoNamed {
  /** The Go type as error messages print it, where it is a named one: "v1.ServiceType", "v1.ResourceList". */
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
  /** Items are pointers in the original (a null item is kept apart from an empty one). */
  readonly pointerItems?: boolean
}

export interface MapSchema extends GoNamed {
  readonly kind: 'map'
  readonly values: TypeSchema
  readonly mapType?: 'granular' | 'atomic'
}

export interface StructSchema extends GoNamed {
  readonly kind: 'struct'
  /** The Go type's name, as error messages say it: "Pod", "PodSpec". */
  readonly name: string
  /** OpenAPI definition name: "io.k8s.api.core.v1.Pod". */
  readonly definition: string
  /** In JSON order. Inlined structs are already flattened into their parent. */
  readonly fields: readonly FieldSchema[]
  readonly byName: ReadonlyMap<string, FieldSchema>
  readonly mapType?: 'granular' | 'atomic'
  readonly gvk?: GroupVersionKind
}

export interface FieldSchema {
  /** The JSON name. */
  readonly name: string
  readonly type: TypeSchema
  /** Go names of the inlined structs it was flattened out of, outermost first (["VolumeSource"] for a Volume's hostPath); error texts name them. */
  readonly embedded?: readonly string[]
  /** When JSON leaves it out: "empty" (Go omitempty), "zero" (omitzero), or never. */
  readonly omit?: 'empty' | 'zero'
  /** Absent and zero differ. */
  readonly pointer?: boolean
  /** In OpenAPI's `required`. */
  readonly required?: boolean
  readonly default?: JsonValue
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly patchMergeKey?: string
}
