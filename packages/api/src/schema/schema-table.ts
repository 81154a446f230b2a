import type {
  GroupVersion,
  StructSchema,
  FieldSchema,
  GroupVersionKind,
  JsonValue,
  ListSchema,
  ScalarType,
  TypeSchema,
} from '@keelson/apimachinery'

/** Schema facts of one group version. They are strings, and the string of a type is parsed on first use. `parseField` describes their syntax. */
export interface SchemaTable {
  /** Prefix of the OpenAPI definition names: "io.k8s.api.core.v1". */
  readonly definition: string
  readonly groupVersion: GroupVersion
  readonly names: readonly string[]
  /** Returns the schema of a type; undefined if the type is unknown. Always returns the same object. */
  struct(name: string): StructSchema | undefined
  /** Returns the schema of a reference: a type of this table, or a type of another table, such as "coreV1.PodSpec". */
  resolve(reference: string): StructSchema
}

/** Creates the schema table that a generated module uses. */
export function schemaTable(
  definition: string,
  groupVersion: GroupVersion,
  lines: Readonly<Record<string, string>>,
  imports: Readonly<Record<string, SchemaTable>> = {},
): SchemaTable {
  const structs = new Map<string, StructSchema>()
  const table: SchemaTable = {
    definition,
    groupVersion,
    get names() {
      return Object.keys(lines)
    },
    struct(name) {
      let struct = structs.get(name)
      if (struct === undefined && Object.hasOwn(lines, name)) {
        struct = new LazyStruct(table, name, lines[name]!)
        structs.set(name, struct)
      }
      return struct
    },
    resolve(reference) {
      const dot = reference.indexOf('.')
      const owner = dot < 0 ? table : imports[reference.slice(0, dot)]
      const struct = owner?.struct(reference.slice(dot + 1))
      if (struct === undefined) throw new TypeError(`${definition} refers to ${reference}, which does not exist`)
      return struct
    },
  }
  return table
}

/** A struct schema that parses its fields on first use. References are resolved on first use too, so types may be recursive. */
class LazyStruct implements StructSchema {
  readonly kind = 'struct'
  readonly name: string
  readonly definition: string
  readonly mapType?: 'granular' | 'atomic'
  readonly gvk?: GroupVersionKind
  private readonly table: SchemaTable
  private readonly items: readonly string[]
  private readonly showsKind: boolean
  private expanded: readonly FieldSchema[] | undefined
  private index: ReadonlyMap<string, FieldSchema> | undefined

  constructor(table: SchemaTable, name: string, line: string) {
    this.table = table
    this.name = name
    this.definition = `${table.definition}.${name}`
    const items = line === '' ? [] : line.split(';')
    const kindMark = items[0]?.startsWith('@') ? items.shift() : undefined
    if (kindMark !== undefined) {
      const { group, version } = table.groupVersion
      const other = kindMark.replace(/^@|-$/g, '')
      this.gvk = other === '' ? { group, version, kind: name } : { group: '', version: other, kind: name }
    }
    this.showsKind = kindMark !== undefined && !kindMark.endsWith('-')
    const mapType = items[0]?.startsWith('#') ? items.shift()!.slice(1) : undefined
    if (mapType !== undefined) this.mapType = mapType as 'granular' | 'atomic'
    this.items = items
  }

  get fields(): readonly FieldSchema[] {
    return (this.expanded ??= this.expand())
  }

  get byName(): ReadonlyMap<string, FieldSchema> {
    return (this.index ??= new Map(this.fields.map((field) => [field.name, field])))
  }

  private expand(): FieldSchema[] {
    const fields: FieldSchema[] = this.showsKind ? [typeMetaField('kind'), typeMetaField('apiVersion')] : []
    for (const item of this.items) {
      const { field, inlined } = parseField(item, this.table)
      if (inlined === undefined) fields.push(field)
      else for (const inner of inlined.fields) fields.push({ ...inner, embedded: [inlined.name, ...(inner.embedded ?? [])] })
    }
    return fields
  }
}

function typeMetaField(name: string): FieldSchema {
  return { name, type: { kind: 'string' }, omit: 'empty' }
}

interface ParsedField {
  readonly field: FieldSchema
  /** Schema of the struct that this field inlines into its parent; undefined for other fields. */
  readonly inlined: StructSchema | undefined
}

const itemSyntax = /^([^=]+)=((?:\[\]|\{\})*)([\w.]+)([?~*!^]*)(?: (.+))?$/
const scalar = /^[a-z][A-Za-z0-9]*$/

/**
 * Parses one field of a schema table, such as `volumes=[]Volume? list:map keys:name patch:merge,retainKeys mergeKey:name`. `[]` means a list
 * and `{}` a map of the type that follows. The flags after the type are: `?` omitted when empty, `~` omitted when zero, `*` pointer, `!`
 * required, `^` inlined. The attributes `go`, `goWhole`, `goInner` and `goField` are names in Go for error messages: of the value's type, of
 * the container's type, of the type of a list within a map, and of the field.
 */
function parseField(item: string, table: SchemaTable): ParsedField {
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

/** A struct schema of which a field overrides the map type. */
interface OverriddenStruct extends StructSchema {
  readonly declared: StructSchema
}

/** Returns the declared schema of a struct whose map type is overridden, and any other schema unchanged. */
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
