import type { GoNames } from './go-names.ts'

/**
 * The facts about one group version that the code generator needs. They are a part of the reference, in one JSON file per group version.
 */
export interface GroupVersionFacts {
  /** API group as in `apiVersion`. "" for the core group. */
  readonly group: string
  readonly version: string
  /** Name of the protobuf package. Facts of other group versions refer to types by this name. */
  readonly package: string
  /** Prefix of OpenAPI definition names. */
  readonly definition: string
  readonly messages: Readonly<Record<string, MessageFacts>>
}

export interface MessageFacts {
  /** True for a kind, whose JSON has `kind` and `apiVersion`. "bare" for a kind whose JSON does not have them. */
  readonly kind?: true | 'bare'
  /** True if the JSON of the message is a list. */
  readonly bareList?: true
  readonly mapType?: 'granular' | 'atomic'
  /** Fields by JSON name, in JSON order. */
  readonly fields: Readonly<Record<string, FieldFacts>>
}

export interface FieldFacts extends GoNames {
  /** Protobuf field number. */
  readonly n: number
  /** Type of the field: a scalar, a message of the same package, or the full name of a message. For maps, the type of the values. */
  readonly t: string
  readonly rep?: true
  readonly map?: true
  /** True if the JSON of the parent contains the fields of this struct. */
  readonly inline?: true
  /** True if the field is a Go pointer. Absent and zero are then different values. */
  readonly ptr?: true
  readonly omit?: 'empty' | 'zero'
  readonly required?: true
  readonly default?: unknown
  readonly list?: 'atomic' | 'set' | 'map'
  readonly keys?: readonly string[]
  /** Map type for server-side apply, if it is declared on the field and not on the type. */
  readonly mapType?: 'granular' | 'atomic'
  readonly patch?: string
  readonly mergeKey?: string
}

/** Scalar types by full message name, for messages whose JSON is a single value. */
export const scalarMessages: Readonly<Record<string, string>> = {
  'k8s.io.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'k8s.io.apimachinery.pkg.util.intstr.IntOrString': 'intOrString',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Time': 'time',
  'k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime': 'microTime',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Duration': 'duration',
  'k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1': 'fieldsV1',
  'k8s.io.apimachinery.pkg.runtime.RawExtension': 'rawExtension',
  'k8s.io.apimachinery.pkg.runtime.Unknown': 'unknown',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON': 'json',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.JSON': 'json',
}
