import type { FieldSchema, GroupVersionKind, StructSchema } from '@keelson/apimachinery'
import { parseField } from './parse-field.ts'
import type { SchemaTable } from './schema-table.ts'

/** A struct that parses its fields on first use. References are lazy too, so types may be recursive. */
export class LazyStruct implements StructSchema {
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
