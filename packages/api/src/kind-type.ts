import type { GroupVersion, GroupVersionKind, KubeObject, StructSchema } from '@keelson/apimachinery'
import type { MergeType } from '@keelson/apimachinery/managed-fields'
import type { KindDocument } from './openapi/kind-document.ts'
import type { FieldSets } from './proto/field-sets.ts'
import type { SchemaTable } from './schema/schema-table.ts'

/** The codec and the schema of one kind. It is generated, created by `jsonKinds`, or written by hand. */
export interface KindType {
  readonly gvk: GroupVersionKind
  /** Schema of the kind. It is parsed from a schema table on first use. */
  readonly schema: StructSchema
  /** Schema by which server-side apply merges objects, if it differs from `schema`. The schema of a custom resource is built on first use. */
  readonly mergeType?: MergeType | undefined
  /** OpenAPI definitions of the kind, if they are not made from `schema`. */
  readonly openApi?: KindDocument | undefined
  /** Prepares `prune` in time slices. Must be called before the body of a request is decoded. Returns undefined if there is nothing to wait for. */
  prepare?(): Promise<void> | undefined
  /**
   * Drops fields of a decoded object in place that the kind does not specify. Returns their paths. Absent if decoding by `schema` already drops
   * all such fields. Also drops nulls that stand for absent fields. `keepsInvalidNulls` keeps those of fields with a type, which
   * validation rejects.
   */
  prune?(object: KubeObject, options?: PruneOptions): readonly string[]
  /** True if the kind has no protobuf encoding. Its objects are then stored as JSON, and clients cannot send or request protobuf. Default: false. */
  readonly isJsonOnly?: boolean
  /** Encodes an object as a protobuf message without the `k8s\0` envelope. Ignores kind and apiVersion. */
  encodeProto(object: KubeObject): Uint8Array
  /**
   * Decodes a protobuf message to an object without kind and apiVersion. The members are in the order of kube-apiserver's JSON. With `fieldSets`,
   * the parsed fieldsV1 of managed fields are shared between objects and must not be modified. Throws `ProtoError` for invalid bytes. Throws a
   * 413 if the message contains more than `maxValues` messages, strings and 64-bit numbers.
   */
  decodeProto(bytes: Uint8Array, fieldSets?: FieldSets, maxValues?: number): KubeObject
}

/** Options of `KindType.prune`. */
export interface PruneOptions {
  readonly keepsInvalidNulls?: boolean
}

/** The types of one group version, which its module exports: `import { coreV1 } from '@keelson/api/core/v1'`. */
export interface GroupVersionTypes {
  readonly groupVersion: GroupVersion
  readonly kinds: readonly KindType[]
  /** Schemas of all types in the group version, including types that are not kinds. */
  readonly table: SchemaTable
}

/** The kinds of the group versions that a server uses. Other group versions are not loaded. */
export interface ApiTypes {
  /** Returns the type of a kind; undefined if it is not known. If meta/v1 was added, finds options and watch events under every group version. */
  kind(gvk: GroupVersionKind): KindType | undefined
  /** Returns the schema of an OpenAPI definition such as "io.k8s.api.core.v1.PodSpec". */
  findSchema(definition: string): StructSchema | undefined
}
