import { quote } from '@keelson/apimachinery'
import { Duration } from '../values/duration.ts'
import { getElement, listElements, isList, listSize } from '../values/list.ts'
import type { ListValue } from '../values/list.ts'
import { findInMap, isMap, listKeys } from '../values/map.ts'
import type { MapValue } from '../values/map.ts'
import { SchemaMap } from '../values/schema-value.ts'
import { formatDouble, getTypeName } from '../values/text.ts'
import { Timestamp } from '../values/timestamp.ts'
import { CelError, Double, EvaluationPanic, isInt, TypeValue, Uint } from '../values/value.ts'
import type { Int, Value } from '../values/value.ts'
import { workload } from '../values/workload.ts'
import { decodeUtf8, formatHex } from './bytes-text.ts'

/** An error in a format or its arguments. */
class FormatError extends Error {}

const defaultPrecision = 6
/** Maximum precision of Number.prototype.toFixed. */
const maxPrecision = 100

/** Formats a string with clauses such as `%s` and `%.2f`. */
export function formatString(format: string, list: ListValue): Value {
  try {
    return formatList(format, list)
  } catch (error) {
    if (error instanceof FormatError) return new CelError(error.message)
    throw error
  }
}

const clausePattern = /%(?:\.([0-9]*))?/y

function formatList(format: string, list: ListValue): string {
  let text = ''
  let argument = 0
  let at = 0
  for (let start = format.indexOf('%'); start >= 0; start = format.indexOf('%', at)) {
    text += format.slice(at, start)
    if (format[start + 1] === '%') {
      text += '%'
      at = start + 2
      continue
    }
    if (argument >= listSize(list)) throw new FormatError(`index ${argument} out of range`)
    if (start + 1 >= format.length) throw new FormatError('unexpected end of string')
    clausePattern.lastIndex = start
    const [matched, digits] = clausePattern.exec(format)!
    const letterAt = start + matched.length
    const precision = parsePrecision(digits, letterAt >= format.length)
    text += formatClause(format, letterAt, { value: getElement(list, argument++), precision })
    at = letterAt + 1
  }
  return text + format.slice(at)
}

const unreadable = 'could not parse formatting clause: '

function parsePrecision(digits: string | undefined, isAtEnd: boolean): number | undefined {
  if (digits === undefined) return undefined
  const failed = `${unreadable}error while parsing precision: `
  if (isAtEnd) throw new FormatError(`${failed}could not find end of precision specifier`)
  const converting = `${failed}error while converting precision to integer: strconv.Atoi: parsing ${quote(digits)}: `
  if (digits === '') throw new FormatError(`${converting}invalid syntax`)
  const precision = Number(digits)
  if (precision > maxPrecision) throw new FormatError(`${converting}value out of range`)
  return precision
}

interface Operand {
  readonly value: Value
  readonly precision: number | undefined
}

function formatClause(format: string, at: number, { value, precision = defaultPrecision }: Operand): string {
  switch (format[at]) {
    case 's':
      return formatPlain(value)
    case 'd':
      return formatDecimal(value)
    case 'f':
      return numberText(value, 'fixed-point', (number) => groupThousands(formatFixed(number + 0, precision)))
    case 'e':
      // kube-apiserver interprets the precision as a minimum width here.
      return numberText(value, 'scientific', formatScientific).padStart(precision)
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0'
      return requireInteger(value, 'only integers and bools can be formatted as binary').toString(2)
    case 'x':
    case 'X': {
      const text = formatHexClause(value)
      return format[at] === 'X' ? text.toUpperCase() : text
    }
    case 'o':
      return requireInteger(value, 'octal clause can only be used on integers').toString(8)
    default: {
      const byte = Buffer.from(format.slice(at, at + 2))[0]!
      throw new FormatError(`${unreadable}unrecognized formatting clause "${String.fromCodePoint(byte)}"`)
    }
  }
}

function createUnsupportedError(message: string, value: Value): FormatError {
  return new FormatError(`error during formatting: ${message}, was given ${getTypeName(value)}`)
}

function requireInteger(value: Value, message: string): Int {
  if (isInt(value)) return value
  if (value instanceof Uint) return value.value
  throw createUnsupportedError(message, value)
}

function formatDecimal(value: Value): string {
  return String(requireInteger(value, 'decimal clause can only be used on integers'))
}

function formatHexClause(value: Value): string {
  if (typeof value === 'string' || value instanceof Uint8Array) return formatHex(value)
  return requireInteger(value, 'only integers, byte buffers, and strings can be formatted as hex').toString(16)
}

const numberNames: Readonly<Record<string, number>> = { NaN, Infinity, '-Infinity': -Infinity }

/** Formats a double, or the name of one that is not finite. */
function numberText(value: Value, kind: string, text: (number: number) => string): string {
  const namedNumber = typeof value === 'string' && Object.hasOwn(numberNames, value) ? numberNames[value] : undefined
  const number = value instanceof Double ? value.value : namedNumber
  if (number === undefined) throw createUnsupportedError(`${kind} clause can only be used on doubles`, value)
  if (Number.isFinite(number)) return text(number)
  return Number.isNaN(number) ? 'NaN' : number > 0 ? '∞' : '-∞'
}

function formatFixed(number: number, precision: number): string {
  // Number.prototype.toFixed uses an exponent from 1e21 on. Doubles of that size are whole numbers.
  const text =
    Math.abs(number) < 1e21 ? roundToEven(number, precision) : BigInt(number) + (precision === 0 ? '' : `.${'0'.repeat(precision)}`)
  return Object.is(number, -0) ? `-${text}` : text
}

/** Formats a number like Number.prototype.toFixed, but rounds ties to even, as Go. */
export function roundToEven(number: number, precision: number): string {
  const exact = number.toFixed(maxPrecision)
  const end = exact.indexOf('.') + 1 + precision
  if (!/^50*$/.test(exact.slice(end))) return number.toFixed(precision)
  const digits = exact.slice(0, precision === 0 ? end - 1 : end)
  return /[02468]$/.test(digits) ? digits : number.toFixed(precision)
}

/** Inserts commas as thousands separators. */
function groupThousands(text: string): string {
  return text.replace(
    /^(-?)(\d+)/,
    (_, sign: string, digits: string) =>
      sign + [digits.slice(0, digits.length % 3 || 3), ...(digits.slice(digits.length % 3 || 3).match(/\d{3}/g) ?? [])].join(','),
  )
}

function formatScientific(number: number): string {
  const [mantissa, exponent] = number.toExponential(defaultPrecision).split('e') as [string, string]
  const digits = [...exponent.slice(1).padStart(2, '0')].map((digit) => superscripts[Number(digit)]!)
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${digits.join('')}`
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** Formats a value for `%s`. */
function formatPlain(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || isInt(value)) return String(value)
  if (value === null) return 'null'
  if (isList(value)) return listText(value)
  if (value instanceof Double) return formatDouble(value.value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Timestamp || value instanceof Duration) return value.toString()
  if (value instanceof TypeValue) return value.name
  if (value instanceof Uint8Array) return decodeUtf8(value) ?? throwUnreadableBytes()
  if (isMap(value)) return mapText(value)
  const message = 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps'
  throw createUnsupportedError(message, value)
}

function throwUnreadableBytes(): never {
  throw new FormatError('error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string')
}

function listText(list: ListValue): string {
  workload.add(listSize(list) * 4)
  return `[${listElements(list).map(formatNested).join(', ')}]`
}

function mapText(map: MapValue): string {
  if (map instanceof SchemaMap && map.untypedCount > 0) {
    throw new EvaluationPanic('runtime error: invalid memory address or nil pointer dereference')
  }
  const entries = listKeys(map).map((key) => [formatKey(key), formatNested(findInMap(map, key)!)] as const)
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

function formatKey(key: Value): string {
  if (typeof key === 'string') return quote(key)
  if (typeof key === 'boolean' || isInt(key) || key instanceof Uint) return formatPlain(key)
  throw new FormatError(`error during formatting: no formatting function for map key of type ${getTypeName(key)}`)
}

/** Formats an element of a list or map, in most cases in CEL syntax. */
function formatNested(value: Value): string {
  if (typeof value === 'string') return quote(value)
  if (value instanceof Uint8Array) return `b${quote(formatPlain(value))}`
  if (value instanceof Timestamp) return `timestamp(${quote(value.toString())})`
  if (value instanceof Duration) return `duration(${quote(value.toString())})`
  if (value instanceof Double) {
    if (Number.isFinite(value.value)) return formatFixed(value.value, defaultPrecision)
    return quote(formatDouble(value.value))
  }
  if (isFormattable(value)) return formatPlain(value)
  throw new FormatError(`error during formatting: no formatting function for ${getTypeName(value)}`)
}

function isFormattable(value: Value): boolean {
  if (value === null || typeof value !== 'object') return true
  return value instanceof Uint || value instanceof TypeValue || isList(value) || isMap(value)
}
