import { newProtobufNotAcceptable, createStructSchema } from '@keelson/apimachinery'
import type { FieldSchema, GroupVersion, GroupVersionKind, StructSchema } from '@keelson/apimachinery'
import type { MergeType } from '@keelson/apimachinery/managed-fields'
import { metaV1Schema } from './generated/meta/v1/schema.ts'
import type { KindDocument } from './openapi/kind-document.ts'
import type { GroupVersionTypes, KindType } from './kind-type.ts'

/** Definition of a kind without a protobuf encoding, such as a custom resource. */
export interface JsonKind {
  readonly kind: string
  /** The fields of the kind besides metadata. Other fields are reported as unknown and dropped. By default, every field is kept. */
  readonly fields?: readonly FieldSchema[]
  /** Schema by which server-side apply merges objects. Default: built from `fields`. */
  readonly mergeType?: MergeType
  /** OpenAPI definitions of the kind. Default: made from `fields`. */
  readonly openApi?: KindDocument
  /** The kind of lists. Default: the kind followed by "List". */
  readonly listKind?: string
  /** See `KindType.prepare`. Default: nothing is prepared. */
  readonly prepare?: NonNullable<KindType['prepare']>
  /** See `KindType.prune`. Default: nothing is dropped. */
  readonly prune?: NonNullable<KindType['prune']>
}

/**
 * Returns the types of a group version whose kinds have no protobuf encoding. Objects of these kinds are stored and served as JSON. Each kind
 * also gets its list type.
 *
 * @example
 * const exampleV1 = jsonKinds({ group: 'example.com', version: 'v1' }, [{ kind: 'Widget' }])
 */
export function jsonKinds(groupVersion: GroupVersion, kinds: readonly JsonKind[]): GroupVersionTypes {
  const { group, version } = groupVersion
  const prefix = [...group.split('.').reverse(), version].join('.')
  const structs = new Map<string, StructSchema>()
  const options = new Map<StructSchema, KindOptions>()
  for (const { kind, fields, mergeType, openApi, listKind = `${kind}List`, prepare, prune } of kinds) {
    const gvk = { group, version, kind }
    const metadata = memberOf('PartialObjectMetadata', 'metadata')
    const object = createStructSchema({
      name: kind,
      definition: `${prefix}.${kind}`,
      gvk,
      fields: [...typeMeta, metadata, ...(fields ?? [])],
      ...(fields === undefined && { keepsUnknown: true }),
    })
    const list = createStructSchema({
      name: listKind,
      definition: `${prefix}.${listKind}`,
      gvk: { ...gvk, kind: listKind },
      fields: [
        ...typeMeta,
        memberOf('PartialObjectMetadataList', 'metadata'),
        { name: 'items', type: { kind: 'list', items: object }, required: true },
      ],
    })
    for (const schema of [object, list]) structs.set(schema.name, schema)
    options.set(object, {
      ...(mergeType && { mergeType }),
      ...(openApi && { openApi }),
      ...(prepare && { prepare }),
      ...(prune && { prune }),
    })
  }
  const resolve = (name: string): StructSchema => {
    const found = structs.get(name)
    if (found === undefined) throw new TypeError(`${prefix} has no type ${name}`)
    return found
  }
  return {
    groupVersion,
    kinds: Array.from(structs.values(), (schema) => jsonKind(schema, options.get(schema))),
    table: { definition: prefix, groupVersion, names: [...structs.keys()], struct: (name) => structs.get(name), resolve },
  }
}

type KindOptions = Pick<KindType, 'mergeType' | 'openApi' | 'prepare' | 'prune'>

function jsonKind(schema: StructSchema, options: KindOptions | undefined): KindType {
  return {
    gvk: schema.gvk as GroupVersionKind,
    schema,
    ...options,
    isJsonOnly: true,
    encodeProto() {
      throw newProtobufNotAcceptable()
    },
    decodeProto() {
      throw new Error(newProtobufNotAcceptable().message)
    },
  }
}

const typeMeta: readonly FieldSchema[] = ['kind', 'apiVersion'].map((name) => ({ name, type: { kind: 'string' }, omit: 'empty' }))

function memberOf(type: string, member: string): FieldSchema {
  return metaV1Schema.resolve(type).byName.get(member)!
}
