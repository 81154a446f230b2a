import type { JsonObject, JsonValue } from '../meta.ts'
import type { FieldSchema, StructSchema, TypeSchema } from '../type-schema.ts'
import type { Task } from '../task.ts'
import { compareUtf8 } from '../utf8-order.ts'
import { NodeBuilder, listElements, isEmptySet, isMember, leaf } from './field-set.ts'
import type { FieldSet } from './field-set.ts'
import { createFieldElement, formatPath } from './path-element.ts'
import type { PathElement } from './path-element.ts'

/**
 * Schema of a value for server-side apply and field ownership. `getMergeType` builds it from a `TypeSchema`. Kinds with a schema of another form,
 * such as custom resources, build it themselves.
 */
export type MergeType = MergeScalar | MergeList | MergeMap | MergeAny

export type ResolvedType = MergeScalar | MergeList | MergeMap

export interface MergeScalar {
  readonly kind: 'scalar'
  readonly scalar: 'string' | 'numeric' | 'boolean' | 'untyped'
}

export interface MergeList {
  readonly kind: 'list'
  /** Kind of list. The items of a "set" are identified by their value, those of a "keyed" list by some of their fields. */
  readonly relationship: 'atomic' | 'set' | 'keyed'
  readonly keys: readonly KeyField[]
  readonly items: MergeType
}

interface KeyField {
  readonly name: string
  /** Value of a key field that an item omits; undefined if the field has no default. */
  readonly default: JsonValue | undefined
}

/** Schema of an object. A struct has `fields`, a map has `values`. A struct that keeps unknown members has both. */
export interface MergeMap {
  readonly kind: 'map'
  readonly atomic: boolean
  /** The fields of a struct, sorted by name. */
  readonly fields: readonly MergeField[]
  readonly byName: ReadonlyMap<string, MergeField>
  readonly byElement: ReadonlyMap<PathElement, MergeField>
  /** Type of members that are not fields. If it is undefined, such members are rejected. */
  readonly values: MergeType | undefined
  /** Builds the properties above in steps if they are built on first use. */
  prepare?(): Task<void>
}

export interface MergeField {
  readonly name: string
  readonly element: PathElement
  readonly type: MergeType
}

/** Schema of a value of any type. Its lists are atomic. */
export interface MergeAny {
  readonly kind: 'any'
  /** Schema of the value if it is an object. */
  readonly map: MergeMap
}

const untyped: MergeScalar = { kind: 'scalar', scalar: 'untyped' }
const text: MergeScalar = { kind: 'scalar', scalar: 'string' }
const numeric: MergeScalar = { kind: 'scalar', scalar: 'numeric' }
const boolean: MergeScalar = { kind: 'scalar', scalar: 'boolean' }
const noFields: ReadonlyMap<string, MergeField> = new Map()
/** Schema of values whose maps and lists are atomic. */
const opaque: MergeAny = createAnyType(true)
/** Schema of values without a declared type. Their maps are merged member by member. */
const deduced: MergeAny = createAnyType(false)
const opaqueList: MergeList = { kind: 'list', relationship: 'atomic', keys: [], items: opaque }

/** The schemas of values that have no members of their own, for builders of merge schemas. */
export const mergeTypes: {
  readonly untyped: MergeScalar
  readonly text: MergeScalar
  readonly numeric: MergeScalar
  readonly boolean: MergeScalar
  readonly opaque: MergeAny
  readonly deduced: MergeAny
} = { untyped, text, numeric, boolean, opaque, deduced }

function createAnyType(atomic: boolean): MergeAny {
  const type: MergeAny = {
    kind: 'any',
    map: {
      kind: 'map',
      atomic,
      fields: [],
      byName: noFields,
      byElement: noFields,
      get values() {
        return type
      },
    },
  }
  return type
}

/** Resolves the type `any` to the type of this value. Null resolves to a scalar. Returns other types unchanged. */
export function resolveType(type: MergeType, value: unknown): ResolvedType {
  if (type.kind !== 'any') return type
  if (typeof value !== 'object' || value === null) return untyped
  if (Array.isArray(value)) return opaqueList
  return type.map
}

const structs = new WeakMap<StructSchema, MergeType>()
const typesOfSchemas = new WeakMap<TypeSchema, MergeType>()

export function getMergeType(schema: TypeSchema): MergeType {
  const existing = schema.kind === 'struct' ? structs.get(schema) : typesOfSchemas.get(schema)
  if (existing !== undefined) return existing
  const type = compile(schema)
  if (schema.kind === 'struct') structs.set(schema, type)
  else typesOfSchemas.set(schema, type)
  return type
}

function compile(schema: TypeSchema): MergeType {
  switch (schema.kind) {
    case 'struct':
      // JSON union types have no type in OpenAPI.
      return unions.test(schema.name) ? deduced : new StructType(schema)
    case 'map':
      return {
        kind: 'map',
        atomic: schema.mapType === 'atomic',
        fields: [],
        byName: noFields,
        byElement: noFields,
        values: getMergeType(schema.values),
      }
    case 'list': {
      const { listType = 'atomic', mapKeys = [], items } = schema
      return toMergeList(items, listType === 'map' ? 'keyed' : listType, mapKeys)
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
    // An IntOrString has several JSON types and no OpenAPI type. Decoding detects its type mismatches.
    case 'intOrString':
    case 'json':
    case 'fieldsV1':
      return deduced
    default:
      return untyped
  }
}

const unions = /^JSONSchemaPropsOr(Array|Bool|StringArray)$/

function toMergeList(items: TypeSchema, relationship: MergeList['relationship'], keys: readonly string[]): MergeList {
  const struct = items.kind === 'struct' ? items : undefined
  return {
    kind: 'list',
    relationship,
    keys: keys.toSorted(compareUtf8).map((name) => ({ name, default: struct && findKeyDefault(struct.byName.get(name)) })),
    items: getMergeType(items),
  }
}

/** Returns the value of a key field that an item omits. If JSON always contains the field, this is its zero value. */
function findKeyDefault(field: FieldSchema | undefined): JsonValue | undefined {
  if (field === undefined) return undefined
  if (field.default !== undefined) return field.default
  if (field.pointer === true || field.omit !== undefined) return undefined
  const { kind } = field.type
  if (kind === 'string') return ''
  return kind === 'bool' ? false : kind === 'int32' || kind === 'int64' ? 0 : undefined
}

/** Merge schema of a struct. Builds its fields on first use, because types may be recursive. */
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
      .map((field) => ({ name: field.name, element: createFieldElement(field.name), type: toFieldType(field) }))
      .sort((a, b) => compareUtf8(a.name, b.name)))
  }

  get byName(): ReadonlyMap<string, MergeField> {
    return (this.#byName ??= new Map(this.fields.map((field) => [field.name, field])))
  }

  get byElement(): ReadonlyMap<PathElement, MergeField> {
    return (this.#byElement ??= new Map(this.fields.map((field) => [field.element, field])))
  }

  /** Type of undeclared members. A struct without declared fields, or one that keeps unknown members, accepts members of any type. */
  get values(): MergeType | undefined {
    return this.fields.length === 0 || this.#schema.keepsUnknown === true ? deduced : undefined
  }
}

/** Returns the merge schema of a field. A list without declared keys is merged like in a strategic merge patch. */
function toFieldType({ type, patchStrategy, patchMergeKey }: FieldSchema): MergeType {
  if (type.kind !== 'list' || type.listType !== undefined || patchStrategy?.includes('merge') !== true) return getMergeType(type)
  return patchMergeKey === undefined ? toMergeList(type.items, 'set', []) : toMergeList(type.items, 'keyed', [patchMergeKey])
}

/** An object in one API version, without kind, apiVersion and managedFields. Immutable. */
export interface TypedObject {
  readonly apiVersion: string
  readonly type: MergeType
  readonly value: JsonObject
}

/**
 * A computation in steps. Its caller may pause at each yield. If the computation yields a promise, its caller resumes it after the promise is
 * settled, with the value or error of the promise.
 */
export type Steps<Result> = Generator<Promise<unknown> | undefined, Result, unknown>

/**
 * Converts an object to another API version. Returns undefined if the kind does not exist in that version. The messages of errors begin with
 * `failure`.
 */
export type ConvertTyped = (object: TypedObject, apiVersion: string, failure: string) => Steps<TypedObject | undefined>

/** Maximum length of a message in characters. Paths repeat request data. Without a limit, a message could become much larger than its request. */
export const maxMessageLength: number = 4 * 1024 * 1024

/** Thrown if a value does not match its type. The message matches kube-apiserver's, but omits failures that exceed the maximum length. */
export class TypedError extends Error {
  override readonly name = 'TypedError'

  constructor(failures: readonly TypedFailure[]) {
    const texts: string[] = []
    let length = 0
    for (const { path, message } of failures) {
      const text = path.length === 0 ? message : `${formatPath(path)}: ${message}`
      texts.push(text)
      length += text.length
      if (length > maxMessageLength) break
    }
    super(texts.length === 1 ? texts[0] : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n'))
  }
}

export interface TypedFailure {
  readonly path: readonly PathElement[]
  readonly message: string
}

/**
 * Adapts a field set to types that have become atomic. Replaces paths inside an atomic value by the path of that value. Returns the same set if
 * no path changes.
 */
export function foldAtomicFields(set: FieldSet, type: MergeType): FieldSet {
  let folded: Map<PathElement, FieldSet> | undefined
  for (const element in set) {
    const child = set[element]!
    const inner = isEmptySet(child) ? undefined : findInnerType(type, element)
    if (inner === undefined) continue
    const foldedChild = isWhole(inner) ? leaf : foldAtomicFields(child, inner)
    if (foldedChild !== child) (folded ??= new Map()).set(element, foldedChild)
  }
  if (folded === undefined) return set
  const node = new NodeBuilder(isMember(set))
  for (const element of listElements(set)) node.add(element, folded.get(element) ?? set[element])
  return node.build()!
}

function isWhole(type: MergeType): boolean {
  if (type.kind === 'list') return type.relationship === 'atomic'
  return type.kind === 'any' ? type.map.atomic : type.kind === 'map' && type.atomic
}

function findInnerType(type: MergeType, element: PathElement): MergeType | undefined {
  if (type.kind === 'list') return type.items
  if (type.kind === 'scalar' || type === deduced) return undefined
  const map = type.kind === 'any' ? type.map : type
  return map.byElement.get(element)?.type ?? map.values
}
