import { Duration } from '../values/duration.ts'
import { listElements, isList } from '../values/list.ts'
import { findInMap, isMap, listKeys } from '../values/map.ts'
import { getTypeName } from '../values/text.ts'
import { Timestamp } from '../values/timestamp.ts'
import { Double, isInt, OpaqueValue, Optional, TypeValue, Uint } from '../values/value.ts'
import type { Value } from '../values/value.ts'

/** Formats a value with its type, like the program that records kube-apiserver's results. */
export function showValue(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'boolean' || isInt(value)) return String(value)
  if (value === null) return 'null'
  if (isList(value)) return `[${listElements(value).map(showValue).join(', ')}]`
  if (value instanceof Uint) return `${value.value}u`
  if (value instanceof Double) return `double(${formatDouble(value.value)})`
  if (value instanceof Uint8Array) return `bytes(${Buffer.from(value).toString('hex')})`
  if (value instanceof Duration) return `duration(${value.nanos})`
  if (value instanceof Timestamp) return `timestamp(${value.toString()})`
  if (value instanceof Optional) return value.value === undefined ? 'none' : `optional(${showValue(value.value)})`
  if (value instanceof TypeValue) return `type(${value.name})`
  if (value instanceof OpaqueValue) return formatOpaque(value)
  if (!isMap(value)) return `<${getTypeName(value)}>`
  const entries = listKeys(value).map((key) => `${showValue(key)}: ${showValue(findInMap(value, key)!)}`)
  return `{${entries.sort((a, b) => (a < b ? -1 : 1)).join(', ')}}`
}

const named: Readonly<Record<string, string>> = {
  'net.IP': 'ip',
  'net.CIDR': 'cidr',
  'kubernetes.URL': 'url',
  'kubernetes.Quantity': 'quantity',
}

function formatOpaque(value: OpaqueValue): string {
  const name = named[value.typeName]
  return name === undefined ? `<${value.typeName}>` : `${name}(${value.toString()})`
}

function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string]
  const sign = Object.is(value, -0) ? '-' : ''
  return `${sign}${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`
}
