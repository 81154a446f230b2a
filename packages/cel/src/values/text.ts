import { formatDuration } from '@keelson/apimachinery'
import { Duration, formatPlainNumber } from './duration.ts'
import { listElements, isList } from './list.ts'
import { findInMap, isMap, listKeys } from './map.ts'
import { PreservedValue, SchemaList, SchemaMap } from './schema-value.ts'
import { Timestamp } from './timestamp.ts'
import { CelError, Double, isInt, OpaqueValue, Optional, StructValue, TypeValue, Uint } from './value.ts'
import type { Value } from './value.ts'

/** Returns the name of a value's type as it appears in messages. */
export function getTypeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
    case 'bigint':
      return 'int'
    default:
      return nameObjectType(value)
  }
}

function nameObjectType(value: Value): string {
  if (value === null) return 'null_type'
  if (isList(value)) return 'list'
  if (value instanceof Double) return 'double'
  if (value instanceof Uint) return 'uint'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp'
  if (value instanceof Duration) return 'google.protobuf.Duration'
  if (value instanceof TypeValue) return 'type'
  if (value instanceof Optional) return 'optional_type'
  if (value instanceof CelError) return 'error'
  if (value instanceof OpaqueValue || value instanceof StructValue) return value.typeName
  return 'map'
}

const goTypes: Readonly<Record<string, string>> = {
  bool: 'types.Bool',
  bytes: 'types.Bytes',
  double: 'types.Double',
  'google.protobuf.Duration': 'types.Duration',
  'google.protobuf.Timestamp': 'types.Timestamp',
  int: 'types.Int',
  list: '*types.baseList',
  map: '*types.baseMap',
  null_type: 'types.Null',
  optional_type: '*types.Optional',
  string: 'types.String',
  type: '*types.Type',
  uint: 'types.Uint',
}

const listTypes: Readonly<Record<string, string>> = { mapList: 'MapList', set: 'SetList' }

/** Returns the name of the Go type that represents a value in kube-apiserver. Some messages contain it. */
export function getGoType(value: Value): string {
  if (value instanceof SchemaMap) return '*common.unstructuredMap'
  if (value instanceof SchemaList) return `*common.unstructured${listTypes[value.type.kind] ?? 'List'}`
  if (value instanceof PreservedValue) return '*common.unknownPreserved'
  const name = getTypeName(value)
  return goTypes[name] ?? `cel.${name.slice(name.lastIndexOf('.') + 1)}`
}

/** Formats a double like Go's `%v`: with an exponent below 1e-4 and from 1e6 on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string]
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < 6) return formatPlainNumber(value)
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** Formats a value for a message, like Go's `%v`. */
export function formatValue(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || isInt(value)) return String(value)
  if (value === null) return '0'
  if (isList(value)) return `[${listElements(value).map(formatValue).join(', ')}]`
  if (value instanceof Double) return formatDouble(value.value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Uint8Array) return `[${value.join(' ')}]`
  if (value instanceof Duration) return formatDuration(value.nanos)
  if (value instanceof Timestamp) return formatTime(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof CelError) return value.message
  if (value instanceof Optional) return value.value === undefined ? 'optional.none()' : `optional(${formatValue(value.value)})`
  if (isMap(value)) {
    return `{${listKeys(value)
      .map((key) => `${formatValue(key)}: ${formatValue(findInMap(value, key)!)}`)
      .join(', ')}}`
  }
  return `{${getTypeName(value)}}`
}

/** Formats a timestamp like Go's Time.String. */
function formatTime(time: Timestamp): string {
  const text = time.toString()
  const [, date, clock, zone] = /^([^T]*)T([^Z+-]*)(Z|[+-]\d\d:\d\d)$/.exec(text)!
  const offset = zone === 'Z' ? '+0000' : zone!.replace(':', '')
  return `${date} ${clock} ${offset} ${zone === 'Z' ? 'UTC' : offset}`
}
