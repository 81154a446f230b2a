import { compareUtf8, equalsJson } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import { Duration } from './duration.ts'
import { getElement, isList, listSize } from './list.ts'
import type { ListValue } from './list.ts'
import { findInMap, isMap, listKeys, mapSize } from './map.ts'
import type { MapValue } from './map.ts'
import { getElementIdentity, readBySchema, SchemaList, SchemaMap } from './schema-value.ts'
import { Timestamp } from './timestamp.ts'
import { CelError, Double, isInt, noSuchOverload, OpaqueValue, Optional, StructValue, TypeValue, Uint } from './value.ts'
import type { Int, Value } from './value.ts'
import { workload } from './workload.ts'

/**
 * Returns whether two values of any types are equal. Numbers of different types are equal if their values are. Comparing some opaque types
 * with other types is an error.
 */
export function equals(a: Value, b: Value): boolean | CelError {
  if (a === b && (typeof a !== 'object' || a === null)) return true
  switch (typeof a) {
    case 'string':
    case 'boolean':
      return false
    case 'number':
    case 'bigint':
      return areNumbersEqual(a, b)
    default:
      return areObjectsEqual(a, b)
  }
}

function areObjectsEqual(a: Value, b: Value): boolean | CelError {
  if (a === null || b === null) return false
  if (a instanceof SchemaMap) return isSchemaMapEqual(a, b)
  if (a instanceof SchemaList) return isSchemaListEqual(a, b)
  if (isList(a)) return isList(b) && areListsEqual(a, b)
  if (a instanceof Double || a instanceof Uint) return areNumbersEqual(a, b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name
  if (a instanceof CelError) return a
  if (a instanceof OpaqueValue) return a.equals(b)
  if (a instanceof Optional) return b instanceof Optional && areOptionalsEqual(a, b)
  if (a instanceof StructValue) return b instanceof StructValue && areStructsEqual(a, b)
  return isMap(a) && isMap(b) && areMapsEqual(a, b)
}

function areOptionalsEqual(a: Optional, b: Optional): boolean | CelError {
  if (a.value === undefined || b.value === undefined) return a.value === b.value
  return equals(a.value, b.value)
}

function areStructsEqual(a: StructValue, b: StructValue): boolean {
  if (a.typeName !== b.typeName || a.fields.size !== b.fields.size) return false
  for (const [name, value] of a.fields) {
    const other = b.fields.get(name)
    if (other === undefined || equals(value, other) === false) return false
  }
  return true
}

/** Returns whether two lists are equal. Elements that cannot be compared count as equal, as in cel-go. */
function areListsEqual(a: ListValue, b: ListValue): boolean {
  const size = listSize(a)
  if (size !== listSize(b)) return false
  workload.add(size)
  for (let i = 0; i < size; i++) if (equals(getElement(a, i), getElement(b, i)) === false) return false
  return true
}

function areMapsEqual(a: MapValue, b: MapValue): boolean {
  const size = mapSize(a)
  if (size !== mapSize(b)) return false
  workload.add(size)
  for (const key of listKeys(a)) {
    const other = findInMap(b, key)
    if (other === undefined || equals(findInMap(a, key)!, other) === false) return false
  }
  return true
}

/** Compares a JSON object with a value. Members without a type are only compared if both objects have them. */
function isSchemaMapEqual(a: SchemaMap, b: Value): boolean | CelError {
  if (!isMap(b)) return keepError(b)
  if (a.size !== mapSize(b)) return false
  workload.add(a.size)
  for (const name of Object.keys(a.raw)) {
    const raw = a.raw[name]
    if (raw === undefined) continue
    if (a.findType(name) === undefined) {
      if (!(b instanceof SchemaMap)) return noSuchOverload
      if (Object.hasOwn(b.raw, name) && !equalsJson(raw as JsonValue, b.raw[name] as JsonValue)) return false
      continue
    }
    const [own, other] = [a.find(name), findInMap(b, name)]
    if ((own === undefined) !== (other === undefined)) return false
    const result = own === undefined ? true : areMembersEqual(own, other!)
    if (result !== true) return result
  }
  return true
}

/** Compares members of JSON values. Unlike in an expression, comparing an object or a list with null is an error. */
function areMembersEqual(a: Value, b: Value): boolean | CelError {
  if (a instanceof CelError) return a
  return b === null && (a instanceof SchemaMap || a instanceof SchemaList) ? noSuchOverload : equals(a, b)
}

/** Compares a JSON list with a value. The order of the elements of sets and maps does not matter. */
function isSchemaListEqual(a: SchemaList, b: Value): boolean | CelError {
  if (!isList(b)) return keepError(b)
  const size = a.size
  if (size !== listSize(b)) return false
  workload.add(size)
  if (a.type.kind === 'set') return setEquals(a, b)
  if (a.type.kind === 'mapList') return mapListEquals(a, b)
  for (let i = 0; i < size; i++) {
    const result = areMembersEqual(a.get(i), getElement(b, i))
    if (result !== true) return result
  }
  return true
}

function setEquals(a: SchemaList, b: ListValue): boolean {
  const elements = a.identities()
  for (let i = 0, size = listSize(b); i < size; i++) if (!elements.has(getElementIdentity(getElement(b, i), a.type))) return false
  return true
}

function mapListEquals(a: SchemaList, b: ListValue): boolean | CelError {
  const elements = a.identities()
  for (let i = 0, size = listSize(b); i < size; i++) {
    const other = getElement(b, i)
    const raw = elements.get(getElementIdentity(other, a.type))
    if (raw === undefined) return false
    const result = areMembersEqual(readBySchema(raw, a.type.element!), other)
    if (result !== true) return result
  }
  return true
}

/** Returns whether a list contains a value. Elements that cannot be compared are skipped, except in a JSON list, where they are errors. */
export function contains(list: ListValue, value: Value): boolean | CelError {
  const size = listSize(list)
  workload.add(size)
  if (list instanceof SchemaList) return isInSchemaList(list, value)
  for (let i = 0; i < size; i++) if (equals(value, getElement(list, i)) === true) return true
  return false
}

function isInSchemaList(list: SchemaList, value: Value): boolean | CelError {
  if (value instanceof CelError) return value
  let problem: CelError | undefined
  for (let i = 0; i < list.size; i++) {
    const result = areMembersEqual(list.get(i), value)
    if (result === true) return true
    if (result !== false) problem ??= result
  }
  return problem ?? false
}

function areNumbersEqual(a: Value, b: Value): boolean {
  return isNumber(a) && isNumber(b) && compareNumbers(a, b) === 0
}

function isNumber(value: Value): value is Int | Uint | Double {
  return isInt(value) || value instanceof Double || value instanceof Uint
}

/** Compares two numbers; undefined if one value is not a number. An integer and a double are compared as doubles. */
function compareNumbers(a: Int | Uint | Double, b: Int | Uint | Double): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (a instanceof Double) return compareDoubles(a.value, b instanceof Double ? b.value : Number(b instanceof Uint ? b.value : b))
  if (b instanceof Double) return compareDoubles(Number(a instanceof Uint ? a.value : a), b.value)
  const [x, y] = [a instanceof Uint ? a.value : a, b instanceof Uint ? b.value : b]
  return x < y ? -1 : x > y ? 1 : 0
}

function compareDoubles(a: number, b: number): number | undefined {
  return a < b ? -1 : a > b ? 1 : a === b ? 0 : undefined
}

const unordered = new CelError('NaN values cannot be ordered')

/** Returns whether values of this type can be ordered. */
export function isComparable(value: Value): boolean {
  return (
    isNumber(value) ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    value instanceof Uint8Array ||
    value instanceof Timestamp ||
    value instanceof Duration
  )
}

/** Compares two values of the same type or two numbers. Returns a negative number, zero or a positive number. */
export function compare(a: Value, b: Value): number | CelError {
  if (a instanceof Double && Number.isNaN(a.value)) return unordered
  if (isNumber(a)) return isNumber(b) ? (compareNumbers(a, b) ?? unordered) : keepError(b)
  if (typeof a === 'string') return typeof b === 'string' ? compareUtf8(a, b) : keepError(b)
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : keepError(b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? Buffer.compare(a, b) : keepError(b)
  if (a instanceof Duration) return b instanceof Duration ? Number(a.nanos - b.nanos) : keepError(b)
  if (a instanceof Timestamp) return b instanceof Timestamp ? a.seconds - b.seconds || a.nanos - b.nanos : keepError(b)
  return keepError(a)
}

/** Returns the value if it is an error, otherwise "no such overload". */
export function keepError(value: Value): CelError {
  return value instanceof CelError ? value : noSuchOverload
}
