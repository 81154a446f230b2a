import type { JsonValue } from '../meta.ts'
import type { FieldSchema, StructSchema, TypeSchema } from '../type-schema.ts'
import { compareText } from './compare-values.ts'
import { fieldElement } from './path-element.ts'
import type { PathElement } from './path-element.ts'

/** What the schema says about owning and merging the parts of a value; made of `TypeSchema` once for each of its nodes. */
export type MergeType = MergeScalar | MergeList | MergeMap | MergeAny

export type ResolvedType = MergeScalar | MergeList | MergeMap

export interface MergeScalar {
  readonly kind: 'scalar'
  readonly scalar: 'string' | 'numeric' | 'boolean' | 'untyped'
}

export interface MergeList {
  readonly kind: 'list'
  /** "set": items are told apart by their value; "keyed": by some of their fields. */
  readonly relationship: 'atomic' | 'set' | 'keyed'
  readonly keys: readonly KeyField[]
  readonly items: MergeType
}

export interface KeyField {
  readonly name: string
  /** What an item has that does not say. */
  readonly default: JsonValue | undefined
}

/** A struct has `fields`, a map has `values`. */
export interface MergeMap {
  readonly kind: 'map'
  readonly atomic: boolean
  /** In order of name. */
  readonly fields: readonly MergeField[]
  readonly byName: ReadonlyMap<string, MergeField>
  readonly byElement: ReadonlyMap<PathElement, MergeField>
  /** Of members that are no fields; undefined refuses them. */
  readonly values: MergeType | undefined
}

export interface MergeField {
  readonly name: string
  readonly element: PathElement
  readonly type: MergeType
}

/** Whatever the value is. Lists are atomic; maps are too, unless `atomic` is false. */
export interface MergeAny {
  readonly kind: 'any'
  readonly atomic: boolean
}

const untyped: MergeScalar = { kind: 'scalar', scalar: 'untyped' }
const text: MergeScalar = { kind: 'scalar', scalar: 'string' }
const numeric: MergeScalar = { kind: 'scalar', scalar: 'numeric' }
const boolean: MergeScalar = { kind: 'scalar', scalar: 'boolean' }
const opaque: MergeAny = { kind: 'any', atomic: true }
/** What has no schema: maps are merged member by member. */
export const deduced: MergeAny = { kind: 'any', atomic: false }

const noFields: ReadonlyMap<string, MergeField> = new Map()
const opaqueList: MergeList = { kind: 'list', relationship: 'atomic', keys: [], items: opaque }
const opaqueMap: MergeMap = { kind: 'map', atomic: true, fields: [], byName: noFields, byElement: noFields, values: opaque }
const deducedMap: MergeMap = { kind: 'map', atomic: false, fields: [], byName: noFields, byElement: noFields, values: deduced }

/** `type` for this value: never `any`. Of `any` and null, a scalar. */
export function resolveType(type: MergeType, value: unknown): ResolvedType {
  if (type.kind !== 'any') return type
  if (typeof value !== 'object' || value === null) return untyped
  if (Array.isArray(value)) return opaqueList
  return type.atomic ? opaqueMap : deducedMap
}

const structs = new WeakMap<StructSchema, MergeType>()
const others = new WeakMap<TypeSchema, MergeType>()

export function mergeTypeOf(schema: TypeSchema): MergeType {
  const known = schema.kind === 'struct' ? structs.get(schema) : others.get(schema)
  if (known !== undefined) return known
  const type = compile(schema)
  if (schema.kind === 'struct') structs.set(schema, type)
  else others.set(schema, type)
  return type
}

function compile(schema: TypeSchema): MergeType {
  switch (schema.kind) {
    case 'struct':
      // What is one thing or another in JSON has no type in OpenAPI.
      return unions.test(schema.name) ? deduced : new StructType(schema)
    case 'map':
      return {
        kind: 'map',
        atomic: schema.mapType === 'atomic',
        fields: [],
        byName: noFields,
        byElement: noFields,
        values: mergeTypeOf(schema.values),
      }
    case 'list': {
      const { listType = 'atomic', mapKeys = [], items } = schema
      return listOf(items, listType === 'map' ? 'keyed' : listType, mapKeys)
    }
    case 'string':
    case 'bytes':
    case 'duration':
      return text
    case 'bool':
      return boolean
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'double':
      return numeric
    case 'rawExtension':
      return opaque
    // More than one type in JSON, of which OpenAPI says none; what does not fit is found when it is decoded.
    case 'intOrString':
    case 'json':
    case 'fieldsV1':
      return deduced
    default:
      return untyped
  }
}

const unions = /^JSONSchemaPropsOr(Array|Bool|StringArray)$/

function listOf(items: TypeSchema, relationship: MergeList['relationship'], keys: readonly string[]): MergeList {
  const struct = items.kind === 'struct' ? items : undefined
  return {
    kind: 'list',
    relationship,
    keys: keys.toSorted(compareText).map((name) => ({ name, default: struct && keyDefault(struct.byName.get(name)) })),
    items: mergeTypeOf(items),
  }
}

/** A field that JSON always has is its zero value where it is left out. */
function keyDefault(field: FieldSchema | undefined): JsonValue | undefined {
  if (field === undefined) return undefined
  if (field.default !== undefined) return field.default
  if (field.pointer === true || field.omit !== undefined) return undefined
  const { kind } = field.type
  if (kind === 'string') return ''
  return kind === 'bool' ? false : kind === 'int32' || kind === 'int64' ? 0 : undefined
}

/** Types contain themselves, so fields are made on first use. */
class StructType implements MergeMap {
  readonly kind = 'map'
  readonly atomic: boolean
  readonly #schema: StructSchema
  #fields: readonly MergeField[] | undefined
  #byName: ReadonlyMap<string, MergeField> | undefined
  #byElement: ReadonlyMap<PathElement, MergeField> | undefined

  constructor(schema: StructSchema) {
    this.#schema = schema
    this.atomic = schema.mapType === 'atomic'
  }

  get fields(): readonly MergeField[] {
    return (this.#fields ??= this.#schema.fields
      .map((field) => ({ name: field.name, element: fieldElement(field.name), type: fieldType(field) }))
      .sort((a, b) => compareText(a.name, b.name)))
  }

  get byName(): ReadonlyMap<string, MergeField> {
    return (this.#byName ??= new Map(this.fields.map((field) => [field.name, field])))
  }

  get byElement(): ReadonlyMap<PathElement, MergeField> {
    return (this.#byElement ??= new Map(this.fields.map((field) => [field.element, field])))
  }

  /** A struct that says nothing of its fields takes any. */
  get values(): MergeType | undefined {
    return this.fields.length === 0 ? deduced : undefined
  }
}

/** A list that does not say how its items are told apart is merged as strategic merge patch would. */
function fieldType({ type, patchStrategy, patchMergeKey }: FieldSchema): MergeType {
  if (type.kind !== 'list' || type.listType !== undefined || patchStrategy?.includes('merge') !== true) return mergeTypeOf(type)
  return patchMergeKey === undefined ? listOf(type.items, 'set', []) : listOf(type.items, 'keyed', [patchMergeKey])
}
