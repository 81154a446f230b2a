import { equalsJson } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import { escapeFieldName, unescapeFieldName } from '../schema/field-names.ts'
import { readBytes, readDate, readDateTime, readDuration } from '../schema/parse-formats.ts'
import type { SchemaType } from '../schema/schema-type.ts'
import { Duration } from './duration.ts'
import { CelList } from './list.ts'
import { CelMap } from './map.ts'
import { Timestamp } from './timestamp.ts'
import { adapt, CelError, Double, EvaluationPanic, noSuchOverload, OpaqueValue, Uint } from './value.ts'
import type { JsonRecord, Value } from './value.ts'

/**
 * Converts a JSON value to a CEL value of its schema's type. Objects and lists are not copied: their members are converted when an
 * expression reads them. A value that does not match the schema becomes an error.
 */
export function readBySchema(raw: unknown, type: SchemaType): Value {
  if (raw === null || raw === undefined) return type.isNullable ? null : nullValue
  switch (type.kind) {
    case 'string':
      return typeof raw === 'string' ? raw : createMismatchError('string', raw)
    case 'integer':
      return isInteger(raw) ? adapt(raw) : createMismatchError('int', raw)
    case 'boolean':
      return typeof raw === 'boolean' ? raw : createMismatchError('bool', raw)
    case 'object':
    case 'record':
    case 'map':
      return isObject(raw)
        ? new SchemaMap(raw, type)
        : new CelError('invalid data, expected a map for the provided schema with type=object')
    case 'list':
    case 'mapList':
    case 'set':
      return readList(raw, type)
    case 'number':
      if (typeof raw === 'number' || typeof raw === 'bigint') return new Double(Number(raw))
      return raw instanceof Double ? raw : createMismatchError('float', raw)
    case 'intOrString':
      if (typeof raw === 'string') return raw
      return isInteger(raw) ? adapt(raw) : new CelError('invalid data, expected XIntOrString value to be either a string or integer')
    case 'dateTime':
      return typeof raw === 'string' ? readDateTime(raw) : createMismatchError('string', raw)
    case 'date':
      return typeof raw === 'string' ? readDate(raw) : createMismatchError('string', raw)
    case 'duration':
      return typeof raw === 'string' ? readDuration(raw) : createMismatchError('string', raw)
    case 'bytes':
      return typeof raw === 'string' ? readBytes(raw) : createMismatchError('string', raw)
    case 'preserved':
      return new PreservedValue(raw)
    case 'invalid':
      return new CelError(
        'invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ',
      )
  }
}

const nullValue = new CelError('invalid data, got null for schema with nullable=false')

function readList(raw: unknown, type: SchemaType): Value {
  if (!Array.isArray(raw)) return new CelError('invalid data, expected an array for the provided schema with type=array')
  if (type.element === undefined) return new CelError('invalid array type, expected Items with a non-empty Schema')
  return new SchemaList(raw, type)
}

function isInteger(raw: unknown): raw is number | bigint {
  return typeof raw === 'bigint' || (typeof raw === 'number' && Number.isInteger(raw))
}

function isObject(raw: unknown): raw is JsonRecord {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}

function createMismatchError(expected: string, raw: unknown): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${goTypeOfRaw(raw)}`)
}

/** Returns the Go type of a decoded JSON value, or of the native form of a CEL value. */
function goTypeOfRaw(raw: unknown): string {
  if (typeof raw === 'string') return 'string'
  if (typeof raw === 'boolean') return 'bool'
  if (typeof raw === 'bigint') return 'int64'
  if (typeof raw === 'number') return Number.isInteger(raw) ? 'int64' : 'float64'
  if (raw instanceof Timestamp) return 'time.Time'
  if (raw instanceof Duration) return 'time.Duration'
  if (raw instanceof Uint8Array) return '[]uint8'
  if (raw instanceof Double) return 'float64'
  if (raw instanceof Uint) return 'uint64'
  if (raw === addedNull) return 'structpb.NullValue'
  return Array.isArray(raw) ? '[]interface {}' : 'map[string]interface {}'
}

/** A JSON object as a map whose values have the types of a schema. */
export class SchemaMap extends CelMap {
  readonly raw: JsonRecord
  readonly type: SchemaType

  constructor(raw: JsonRecord, type: SchemaType) {
    super()
    this.raw = raw
    this.type = type
  }

  /** The number of members, including those that expressions cannot read. */
  get size(): number {
    let count = 0
    for (const name in this.raw) if (this.raw[name] !== undefined) count++
    return count
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return key instanceof CelError ? key : noSuchOverload
    const { raw, type } = this
    if (type.kind === 'map') return Object.hasOwn(raw, key) && raw[key] !== undefined ? readBySchema(raw[key], type.element!) : undefined
    if (type.fields === undefined) return undefined
    const name = unescapeFieldName(key)
    const field = name === undefined ? undefined : type.fields.get(name)
    if (field === undefined || !Object.hasOwn(raw, name!)) return undefined
    const value = raw[name!]
    // A property that is null counts as absent.
    return value === null || value === undefined ? undefined : readBySchema(value, field)
  }

  /** Iterates over the keys. As in kube-apiserver, members without a type have the key null and come last. */
  *keys(): Iterable<Value> {
    const { fields, kind } = this.type
    for (const name of Object.keys(this.raw)) {
      if (this.raw[name] === undefined) continue
      if (kind === 'map') yield name
      else if (fields?.has(name) === true) yield escapeFieldName(name) ?? name
    }
    for (let i = 0; i < this.untypedCount; i++) yield null
  }

  /** The number of members without a type. */
  get untypedCount(): number {
    let count = 0
    for (const name in this.raw) if (this.raw[name] !== undefined && this.findType(name) === undefined) count++
    return count
  }

  /** Returns the type of a member; undefined if the schema does not have it. */
  findType(name: string): SchemaType | undefined {
    return this.type.kind === 'map' ? this.type.element : this.type.fields?.get(name)
  }
}

/** A JSON list whose elements have the type of a schema. */
export class SchemaList extends CelList {
  readonly raw: readonly unknown[]
  readonly type: SchemaType
  #identities: Map<unknown, unknown> | undefined

  constructor(raw: readonly unknown[], type: SchemaType) {
    super()
    this.raw = raw
    this.type = type
  }

  get size(): number {
    return this.raw.length
  }

  get(index: number): Value {
    return readBySchema(this.raw[index], this.type.element!)
  }

  /** Returns the error of an index that is a whole number but not an int. Lists that are not JSON allow such indexes. */
  indexProblem(index: Double | Uint): CelError {
    return new CelError(`unsupported index: ${index.value}`)
  }

  /** Returns the elements of a set or a map list by their identity. Adding to a set also changes this map, as in kube-apiserver. */
  identities(): Map<unknown, unknown> {
    return (this.#identities ??= new Map(this.raw.map((element) => [getElementIdentity(element, this.type), element])))
  }

  /** Returns the concatenation of a list, the union of a set, or the merged map list. */
  concat(addedValues: readonly Value[]): SchemaList {
    const elements = [...this.raw]
    if (this.type.kind === 'set') this.#unite(elements, addedValues)
    else if (this.type.kind === 'mapList') this.#merge(elements, addedValues)
    else for (const other of addedValues) elements.push(toRaw(other))
    return new SchemaList(elements, this.type)
  }

  #unite(elements: unknown[], addedValues: readonly Value[]): void {
    const union = this.identities()
    for (const other of addedValues) {
      const key = getElementIdentity(other, this.type)
      if (union.has(key)) continue
      union.set(key, toRaw(other))
      elements.push(toRaw(other))
    }
  }

  #merge(elements: unknown[], addedValues: readonly Value[]): void {
    const positions = new Map(elements.map((element, i) => [getElementIdentity(element, this.type), i]))
    for (const other of addedValues) {
      const position = positions.get(getElementIdentity(other, this.type))
      if (position === undefined) elements.push(toRaw(other))
      else elements[position] = toRaw(other)
    }
  }
}

/** A null value that an expression has added to a JSON list. Unlike null in JSON, it has no type that a list can contain. */
const addedNull: unique symbol = Symbol('null')

/** Returns the native form of a CEL value, which a JSON list can contain. */
export function toRaw(value: Value): unknown {
  if (value === null) return addedNull
  return value instanceof SchemaMap || value instanceof SchemaList || value instanceof PreservedValue ? value.raw : value
}

/**
 * Returns a key that equal elements of a set or a map list share. kube-apiserver compares native values: a whole number in a list of type
 * number is an int before its conversion and a double after it, so the two have different keys.
 */
export function getElementIdentity(value: unknown, { kind, listKeys = [] }: SchemaType): unknown {
  const raw = toRaw(value as Value)
  if (kind === 'set') return computeScalarIdentity(raw)
  if (!isObject(raw)) return raw
  const keys = listKeys.map((key) => computeScalarIdentity(raw[escapeFieldName(key) ?? key] ?? null))
  return keys.length === 1 ? keys[0] : JSON.stringify(keys)
}

function computeScalarIdentity(raw: unknown): unknown {
  if (typeof raw === 'string') return `"${raw}`
  if (raw instanceof Double) return `d${raw.value}`
  if (raw instanceof Uint) return `u${raw.value}`
  if (typeof raw === 'number' || typeof raw === 'bigint') return `${isInteger(raw) ? 'i' : 'd'}${raw}`
  if (raw instanceof Timestamp || raw instanceof Duration) return `${raw.constructor.name}${raw.toString()}`
  if (typeof raw === 'object' && raw !== null && !(raw instanceof CelError))
    throw new EvaluationPanic(`runtime error: hash of unhashable type ${goTypeOfRaw(raw)}`)
  return raw
}

/** A value without a type in the schema. Expressions cannot select it, and can only compare the object that contains it. */
export class PreservedValue extends OpaqueValue {
  readonly typeName = 'unknown'
  readonly raw: unknown

  constructor(raw: unknown) {
    super()
    this.raw = raw
  }

  /** Returns the error of converting the value to a type. */
  conversionProblem(type: string): CelError {
    return new CelError(`type conversion to '${type}' not supported for values preserved by x-kubernetes-preserve-unknown-fields`)
  }

  equals(other: Value): boolean {
    return equalsJson(this.raw as JsonValue, toRaw(other) as JsonValue)
  }
}
