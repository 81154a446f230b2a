import { getElement, isList, listSize } from '../values/list.ts'
import type { ListValue } from '../values/list.ts'
import { CelMap, getField, findInMap, isMap } from '../values/map.ts'
import { SchemaList } from '../values/schema-value.ts'
import { formatDouble, getGoType, getTypeName, formatValue } from '../values/text.ts'
import { CelError, Double, isInt, isJsonRecord, StructValue, Uint } from '../values/value.ts'
import type { Value } from '../values/value.ts'

/**
 * Returns a field, an entry or an element of a value. Returns undefined if it is absent, and an error if the value cannot be indexed with
 * this key.
 */
export function lookUp(value: Value, key: Value): Value | undefined {
  // Most values are fields of decoded JSON.
  if (typeof key === 'string' && isJsonRecord(value)) return getField(value, key)
  if (isMap(value)) return findInMap(value, key)
  if (isList(value)) return findElement(value, key)
  return value instanceof StructValue && typeof key === 'string' ? value.fields.get(key) : undefined
}

function findElement(list: ListValue, key: Value): Value | undefined {
  const index = indexFrom(key)
  if (index instanceof CelError) return index
  if (index < 0 || index >= listSize(list)) return undefined
  return list instanceof SchemaList && !isInt(key) ? list.indexProblem(key as Double | Uint) : getElement(list, index)
}

/** Converts a list index to a number. Whole numbers of the types double and uint are valid indexes too. */
function indexFrom(key: Value): number | CelError {
  if (typeof key === 'number') return key
  if (isInt(key)) return Number(key)
  if (key instanceof Double) {
    return Number.isInteger(key.value) && Math.abs(key.value) < 2 ** 63
      ? key.value
      : new CelError(`unsupported index value ${formatDouble(key.value)} in list`)
  }
  if (key instanceof Uint) return key.value < 2n ** 63n ? Number(key.value) : new CelError(`unsupported index value ${key.value} in list`)
  return new CelError(`unsupported index type '${getTypeName(key)}' in list`)
}

/** Returns whether a value has a type that is allowed for list indexes and map keys. */
export function isIndexKey(key: Value): boolean {
  return typeof key === 'string' || typeof key === 'boolean' || isInt(key) || key instanceof Double || key instanceof Uint
}

/**
 * Returns the error of a key whose type is not allowed. The message contains the Go type, which differs between constants and computed
 * keys.
 */
export function createInvalidKeyError(key: Value, isConstant = false): CelError {
  const native = isConstant ? undefined : key === null ? '<nil>' : Array.isArray(key) ? '[]interface {}' : undefined
  const isNativeMap = !isConstant && isMap(key) && !(key instanceof CelMap)
  return new CelError(`invalid qualifier type: ${native ?? (isNativeMap ? 'map[string]interface {}' : getGoType(key))}`)
}

/** Returns the error of an absent field, entry or element. */
export function createAbsentError(value: Value, key: Value): CelError {
  return new CelError(`${isList(value) ? 'index out of bounds' : 'no such key'}: ${formatValue(key)}`)
}
