import type { GroupVersion, GroupVersionKind, KubeObject, StructSchema } from '@keelson/apimachinery'
import type { FieldSets } from './proto/field-sets.ts'
import type { SchemaTable } from './schema/schema-table.ts'

/** The codec and schema of one kind: generated, created by `jsonKinds`, or written by hand. */
export interface KindType {
  readonly gvk: GroupVersionKind
  /** The schema. It is expanded from its compact table on first use. */
  readonly schema: StructSchema
  /** Whether the kind has no protobuf encoding. It is then stored as JSON, and protobuf is neither accepted nor sent. Default: false. */
  readonly isJsonOnly?: boolean
  /** Encodes the bare message, without the `k8s\0` envelope. Ignores kind and apiVersion. */
  encodeProto(object: KubeObject): Uint8Array
  /**
   * Decodes a message to JSON in kube-apiserver's member order, without kind and apiVersion. Throws only `ProtoError` for invalid bytes. With
   * `fieldSets`, sets of managed fields are shared and must not be modified. Throws 413 for more than `maxValues` messages, strings and 64-bit
   * numbers.
   */
  decodeProto(bytes: Uint8Array, fieldSets?: FieldSets, maxValues?: number): KubeObject
}

/** The exported value of a group version's module: `import { coreV1 } from '@keelson/api/core/v1'`. */
export interface GroupVersionTypes {
  readonly groupVersion: GroupVersion
  readonly kinds: readonly KindType[]
  /** The schemas of every type in the group version, including types that are not kinds. */
  readonly table: SchemaTable
}

/** The kinds of the group versions that a server uses. Others are not loaded. */
export interface ApiTypes {
  /** Returns the type of a kind. If meta/v1 was added, options and watch events are found under every group version. */
  kind(gvk: GroupVersionKind): KindType | undefined
  /** Returns the schema of an OpenAPI definition such as "io.k8s.api.core.v1.PodSpec". */
  schemaOf(definition: string): StructSchema | undefined
}
