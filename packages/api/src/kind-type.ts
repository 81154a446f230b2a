import type { GroupVersion, GroupVersionKind, KubeObject, StructSchema } from '@keelson/apimachinery'
import type { FieldSets } from './proto/field-sets.ts'
import type { SchemaTable } from './schema/schema-table.ts'

/** Everything generated about one kind. */
export interface KindType {
  readonly gvk: GroupVersionKind
  /** Expanded from its compact table on first use. */
  readonly schema: StructSchema
  /** The bare message (no `k8s\0` envelope). Ignores kind and apiVersion. */
  encodeProto(object: KubeObject): Uint8Array
  /**
   * Canonical JSON shape, without kind and apiVersion. Throws `ProtoError` on bytes that are cut or wrong, never anything else.
   * With `fieldSets`, the sets of managed fields are theirs, and nobody's to change. Throws 413 when there are more than `maxValues` messages,
   * texts and numbers of 64 bits.
   */
  decodeProto(bytes: Uint8Array, fieldSets?: FieldSets, maxValues?: number): KubeObject
}

/** What a group version's module exports: `import { coreV1 } from '@keelson/api/core/v1'`. */
export interface GroupVersionTypes {
  readonly groupVersion: GroupVersion
  readonly kinds: readonly KindType[]
  /** The schema facts of every type of the group version, kinds or not. */
  readonly table: SchemaTable
}

/** The kinds a server knows: only those of the group versions it was given are loaded. */
export interface ApiTypes {
  /** Options and watch events, which belong to every group version, are found under each when meta/v1 was given. */
  kind(gvk: GroupVersionKind): KindType | undefined
  /** By OpenAPI definition name: "io.k8s.api.core.v1.PodSpec". */
  schemaOf(definition: string): StructSchema | undefined
}
