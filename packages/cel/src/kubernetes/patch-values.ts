import { formatDuration, mapList, quote, setOwn } from '@keelson/apimachinery'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { GoValue } from '@keelson/apimachinery/managed-fields'
import { Duration } from '../values/duration.ts'
import { listElements, isList } from '../values/list.ts'
import { CelMap, findInMap, isMap, listKeys } from '../values/map.ts'
import { getTypeName, formatValue } from '../values/text.ts'
import { Timestamp } from '../values/timestamp.ts'
import { Double, isInt, OpaqueValue, Optional, StructValue, TypeValue, Uint } from '../values/value.ts'
import type { Value } from '../values/value.ts'

/**
 * Returns an error message if an `Object{…}` contains an object whose type name is not its path, such as `Object.spec{}` in the field `status`.
 * The compiler does not check this.
 */
export function checkTypeNames(value: StructValue): string | undefined {
  const problems: string[] = []
  collectMismatches(value, value.typeName, problems)
  return problems.length === 0 ? undefined : problems.join('\n')
}

function collectMismatches(value: Value, path: string, problems: string[]): void {
  if (value instanceof StructValue) {
    if (value.typeName !== path) {
      problems.push(
        `unexpected type name ${quote(value.typeName)}, expected ${quote(path)}, which matches field name path from root Object type`,
      )
    }
    for (const [name, field] of value.fields) collectMismatches(field, `${path}.${name}`, problems)
  } else if (isList(value)) for (const item of listElements(value)) collectMismatches(item, path, problems)
  else if (value instanceof CelMap) for (const key of value.keys()) collectMismatches(value.find(key)!, path, problems)
}

/**
 * Converts an `Object{…}` to a configuration to apply. Values that have no JSON form in kube-apiserver, such as durations, become a `GoValue`,
 * which no schema accepts. Returns undefined if a map has a key that is not a string. The result shares nothing with the variables of the
 * expression.
 */
export function toConfiguration(value: StructValue): JsonObject | undefined {
  try {
    return listFields(value)
  } catch (error) {
    if (error instanceof InvalidKeyError) return undefined
    throw error
  }
}

class InvalidKeyError extends Error {}

function listFields({ fields }: StructValue): JsonObject {
  const object: JsonObject = {}
  for (const [name, field] of fields) setOwn(object, name, convertFieldToJson(field))
  return object
}

/** Converts the value of a field. As in kube-apiserver, lists and maps that an expression builds are valid only directly in a field. */
function convertFieldToJson(value: Value): JsonValue {
  if (value instanceof Optional) return value.value === undefined ? null : convertFieldToJson(value.value)
  if (!(value instanceof CelMap)) return convertInnerToJson(value)
  const object: JsonObject = {}
  for (const key of value.keys()) {
    if (typeof key !== 'string') throw new InvalidKeyError()
    setOwn(object, key, convertInnerToJson(value.find(key)!))
  }
  return object
}

function convertInnerToJson(value: Value): JsonValue {
  if (value instanceof StructValue) return listFields(value)
  if (typeof value === 'string' || typeof value === 'boolean') return value
  // Numbers beyond safe integers stay exact.
  if (isInt(value)) return value as number
  if (value instanceof Double) return value.value
  if (isList(value)) return mapList(listElements(value), convertInnerToJson)
  if (value === null) return goValue('structpb.NullValue', 'NULL_VALUE', '0')
  if (value instanceof Optional) return value.value === undefined ? null : convertInnerToJson(value.value)
  if (value instanceof Uint) return goValue('uint64', String(value.value), `0x${value.value.toString(16)}`)
  if (value instanceof Uint8Array) return goValue('[]uint8', formatValue(value), `[]uint8{${Array.from(value, formatHexByte).join(', ')}}`)
  if (value instanceof Duration) return goValue('time.Duration', formatDuration(value.nanos), String(value.nanos))
  if (value instanceof Timestamp) return goValue('time.Time', formatValue(value), describeTimeSyntax(value))
  if (value instanceof CelMap) return goValue('map[ref.Val]ref.Val', mapText(value), `map[ref.Val]ref.Val{${mapText(value)}}`)
  if (isMap(value)) return recordToJson(value as JsonObject)
  return goValue(getTypeName(value), formatValue(value), formatValue(value))
}

/** Copies a part of a variable, such as `object.spec`. */
function recordToJson(record: JsonObject): JsonObject {
  const object: JsonObject = {}
  for (const name of Object.keys(record)) {
    const member = record[name]
    // A null of a variable is a JSON null, not a null of the expression.
    if (member !== undefined) setOwn(object, name, member === null ? null : convertInnerToJson(member))
  }
  return object
}

function goValue(type: string, text: string, syntax: string): JsonValue {
  return new GoValue(type, text, syntax) as unknown as JsonValue
}

function formatHexByte(byte: number): string {
  return `0x${byte.toString(16)}`
}

function mapText(map: CelMap): string {
  return `map[${Array.from(map.keys(), (key) => `${formatValue(key)}:${formatValue(map.find(key)!)}`)
    .toSorted()
    .join(' ')}]`
}

const months = 'January February March April May June July August September October November December'.split(' ')

function describeTimeSyntax({ seconds, nanos }: Timestamp): string {
  const date = new Date(seconds * 1000)
  const [hour, minute, second] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
  const month = months[date.getUTCMonth()]
  return `time.Date(${date.getUTCFullYear()}, time.${month}, ${date.getUTCDate()}, ${hour}, ${minute}, ${second}, ${nanos}, time.UTC)`
}

/**
 * Converts the value of a `JSONPatch{…}` to JSON. Throws an error with kube-apiserver's message if the value has no JSON form. The result
 * shares nothing with the variables of the expression.
 */
export function toPatchValue(value: Value): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (isInt(value)) return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Uint) return Number.isSafeInteger(Number(value.value)) ? Number(value.value) : String(value.value)
  if (value instanceof Double) return requireFinite(value.value)
  if (isList(value)) return mapList(listElements(value), toPatchValue)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Duration || value instanceof Timestamp) return value.toString()
  if (value instanceof StructValue) return convertStructToJson(value)
  if (value instanceof Optional) {
    if (value.value === undefined) throw new Error('optional.none() dereference')
    return toPatchValue(value.value)
  }
  if (value instanceof TypeValue) throw new Error("type conversion not supported for 'type'")
  if (value instanceof OpaqueValue) throw new Error(`type conversion error from '${nameOpaque(value)}' to '*structpb.Value'`)
  if (!isMap(value)) throw new Error(`type conversion error from '${getTypeName(value)}' to '*structpb.Value'`)
  const object: JsonObject = {}
  for (const key of listKeys(value)) {
    if (typeof key !== 'string') throw new Error(`unsupported type conversion from '${getTypeName(key)}' to string`)
    setOwn(object, key, toPatchValue(findInMap(value, key)!))
  }
  return object
}

function requireFinite(value: number): number {
  if (Number.isFinite(value)) return value
  const text = Number.isNaN(value) ? 'NaN' : `${value > 0 ? '+' : '-'}Inf`
  const why = `google.protobuf.Value.number_value: invalid ${text} value`
  throw new Error(`json: error calling MarshalJSON for type *structpb.Value: proto: ${why}`)
}

/** Converts an `Object{…}` with the rules of an applied configuration. */
function convertStructToJson(value: StructValue): JsonValue {
  const object: JsonObject = {}
  for (const [name, field] of value.fields) {
    const json = field instanceof Uint8Array ? Buffer.from(field).toString('base64') : convertFieldToJson(field)
    refuseGoValues(json)
    setOwn(object, name, json)
  }
  return object
}

function refuseGoValues(value: JsonValue): void {
  if (value instanceof GoValue) throw new Error(`proto: invalid type: ${value.type}`)
  if (Array.isArray(value)) value.forEach(refuseGoValues)
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(refuseGoValues)
}

/** Returns the last part of the name of an opaque type: `Quantity` for `kubernetes.Quantity`. */
function nameOpaque({ typeName }: OpaqueValue): string {
  return typeName.slice(typeName.lastIndexOf('.') + 1)
}
