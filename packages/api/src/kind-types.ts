import type { GroupVersion, GroupVersionKind, KubeObject, StructSchema } from '@keelson/apimachinery'
import type { GroupVersionTypes, KindType } from './kind-type.ts'
import type { FieldSets } from './proto/field-sets.ts'
import type { ProtoReader } from './proto/proto-reader.ts'
import { readMessage } from './proto/proto-reader.ts'
import type { ProtoWriter } from './proto/proto-writer.ts'
import { writeMessage } from './proto/proto-writer.ts'
import type { SchemaTable } from './schema/schema-table.ts'

/** The protobuf functions of one kind, without its static type. */
export interface KindCodec {
  readonly kind: string
  readonly write: (writer: ProtoWriter, object: never) => void
  readonly read: (reader: ProtoReader, end: number) => unknown
}

/** Creates the protobuf functions of one kind from the functions for its message. */
export function kindCodec<T>(
  kind: string,
  write: (writer: ProtoWriter, object: T) => void,
  read: (reader: ProtoReader, end: number) => T,
): KindCodec {
  return { kind, write, read }
}

/** Creates the `GroupVersionTypes` that a generated module exports. Parses schemas on first use. */
export function kindTypes(groupVersion: GroupVersion, table: SchemaTable, codecs: readonly KindCodec[]): GroupVersionTypes {
  return { groupVersion, kinds: codecs.map((codec) => new TableKind(table, codec)), table }
}

class TableKind implements KindType {
  private readonly table: SchemaTable
  private readonly codec: KindCodec

  constructor(table: SchemaTable, codec: KindCodec) {
    this.table = table
    this.codec = codec
  }

  get schema(): StructSchema {
    return this.table.resolve(this.codec.kind)
  }

  get gvk(): GroupVersionKind {
    return this.schema.gvk!
  }

  encodeProto(object: KubeObject): Uint8Array {
    return writeMessage(object as never, this.codec.write)
  }

  decodeProto(bytes: Uint8Array, fieldSets?: FieldSets, maxValues?: number): KubeObject {
    return readMessage(bytes, this.codec.read, fieldSets, maxValues) as KubeObject
  }
}
