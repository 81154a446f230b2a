import type { GoNames } from './go-names.ts'

/** The facts of one group version: the part of the reference that generation needs. There is one JSON file per group version. */
export interface GroupVersionFacts {
  /** API group as in `apiVersion`; "" for core. */
  readonly group: string
  readonly version: string
  /** Protobuf package. Other tables refer to these types by it. */
  readonly package: string
  /** Prefix of OpenAPI definition names. */
  readonly definition: string
  readonly messages: Readonly<Record<string, MessageFacts>>
}

export interface MessageFacts {
  /** Whether the JSON has kind and apiVersion, which are not protobuf fields. "bare" is a kind without them in JSON. */
  readonly kind?: true | 'bare'
  /** Whether the message is a plain list in JSON. */
  readonly bareList?: true
  readonly mapType?: 'granular' | 'atomic'
  /** Fields by JSON name, in JSON order. */
  readonly fields: Readonly<Record<string, FieldFacts>>
}

export interface FieldFacts extends GoNames {
  /** Protobuf field number. */
  readonly n: number
  /** Scalar, message of the same package, or full message name. For maps, the type of the values. */
  readonly t: string
  readonly rep?: true
  readonly map?: true
  /** The struct's fields are inlined into the parent in JSON. */
  readonly inline?: true
  /** Whether the field is a Go pointer: absent and zero differ. */
  readonly ptr?: true
  readonly omit?: 'empty' | 'zero'
  readonly required?: true
  readonly default?: unknown
  readonly list?: 'atomic' | 'set' | 'map'
  readonly keys?: readonly string[]
  /** Map type declared on the field instead of the type. */
  readonly mapType?: 'granular' | 'atomic'
  readonly patch?: string
  readonly mergeKey?: string
}

/** Types whose JSON is a single value, by full message name. */
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
