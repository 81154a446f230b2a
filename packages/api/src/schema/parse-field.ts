import type { FieldSchema, JsonValue, ListSchema, ScalarType, StructSchema, TypeSchema } from '@keelson/apimachinery'
import type { SchemaTable } from './schema-table.ts'

export interface ParsedField {
  readonly field: FieldSchema
  /** Set if the field's struct is inlined into its parent. */
  readonly inlined: StructSchema | undefined
}

const itemSyntax = /^([^=]+)=((?:\[\]|\{\})*)([\w.]+)([?~*!^]*)(?: (.+))?$/
const scalar = /^[a-z][A-Za-z0-9]*$/

/**
 * Parses one item of a table's line: `volumes=[]Volume? list:map keys:name patch:merge,retainKeys mergeKey:name`. `[]` is a list and `{}` a
 * map of the type that follows. Flags: `?` omitted when empty, `~` omitted when zero, `*` pointer, `!` required, `^` inlined. `go`,
 * `goWhole` and `goInner` name the Go types of the value, of the container and of a map's list, and `goField` the field, for error messages.
 */
export function parseField(item: string, table: SchemaTable): ParsedField {
  const match = itemSyntax.exec(item)
  if (match === null) throw new TypeError(`invalid field in a schema table: ${item}`)
  const [, name, shape, reference, flags, attributeText] = match as unknown as [string, string, string, string, string, string | undefined]
  const attributes = new Map(
    attributeText?.split(' ').map((attribute): [string, string] => {
      const colon = attribute.indexOf(':')
      return [attribute.slice(0, colon), attribute.slice(colon + 1)]
    }),
  )
  const leaf = leafType(reference, table, attributes.get('go'))
  const type = fieldType(shape, leaf, attributes)
  const defaultText = attributes.get('default')
  const patch = attributes.get('patch')
  const mergeKey = attributes.get('mergeKey')
  const goField = attributes.get('goField')
  const field: FieldSchema = {
    name,
    type,
    ...(flags.includes('?') && { omit: 'empty' as const }),
    ...(flags.includes('~') && { omit: 'zero' as const }),
    ...(flags.includes('*') && { pointer: true }),
    ...(flags.includes('!') && { required: true }),
    ...(defaultText !== undefined && { default: JSON.parse(defaultText) as JsonValue }),
    ...(patch !== undefined && { patchStrategy: patch.split(',') as ('merge' | 'replace' | 'retainKeys')[] }),
    ...(mergeKey !== undefined && { patchMergeKey: mergeKey }),
    ...(goField !== undefined && { goField }),
  }
  return { field, inlined: flags.includes('^') && leaf.kind === 'struct' ? leaf : undefined }
}

function leafType(reference: string, table: SchemaTable, goName: string | undefined): TypeSchema {
  return scalar.test(reference) ? scalarSchema(reference as ScalarType, goName) : table.resolve(reference)
}

const scalars = new Map<string, TypeSchema>()

function scalarSchema(kind: ScalarType, goName: string | undefined): TypeSchema {
  const key = goName === undefined ? kind : `${kind} ${goName}`
  let schema = scalars.get(key)
  if (schema === undefined) {
    schema = goName === undefined ? { kind } : { kind, goName }
    scalars.set(key, schema)
  }
  return schema
}

function fieldType(shape: string, leaf: TypeSchema, attributes: ReadonlyMap<string, string>): TypeSchema {
  const mapType = attributes.get('map') as 'granular' | 'atomic' | undefined
  if (shape === '') return leaf.kind === 'struct' && mapType !== undefined && mapType !== leaf.mapType ? withMapType(leaf, mapType) : leaf
  const innerName = attributes.get('goInner')
  const inner = fieldType(shape.slice(2), leaf, innerName === undefined ? noAttributes : new Map([['goWhole', innerName]]))
  const goName = attributes.get('goWhole')
  if (shape.startsWith('{}')) return { kind: 'map', values: inner, ...(mapType && { mapType }), ...(goName !== undefined && { goName }) }
  const listType = attributes.get('list') as ListSchema['listType']
  const keys = attributes.get('keys')
  return {
    kind: 'list',
    items: inner,
    ...(listType && { listType }),
    ...(keys !== undefined && { mapKeys: keys.split(',') }),
    ...(goName !== undefined && { goName }),
  }
}

/** A type whose map type is overridden by a field. */
interface OverriddenStruct extends StructSchema {
  readonly declared: StructSchema
}

/** Returns the declared type of an overridden one. */
export function declaredStruct(struct: StructSchema): StructSchema {
  return (struct as Partial<OverriddenStruct>).declared ?? struct
}

const noAttributes: ReadonlyMap<string, string> = new Map()

function withMapType(struct: StructSchema, mapType: 'granular' | 'atomic'): OverriddenStruct {
  return {
    declared: struct,
    kind: 'struct',
    name: struct.name,
    definition: struct.definition,
    mapType,
    get fields() {
      return struct.fields
    },
    get byName() {
      return struct.byName
    },
    ...(struct.gvk && { gvk: struct.gvk }),
  }
}
