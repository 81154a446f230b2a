import { parseDuration } from '@keelson/apimachinery'
import type { Constant } from '../ast.ts'

const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n }
const maxUint64 = 2n ** 64n - 1n
/** The years 1 to 9999, in seconds. */
const seconds = { least: -62_135_596_800n, most: 253_402_300_799n }

/** Returns whether the conversion of the constant succeeds at run time. */
export function isValidConversion(name: string, constant: Constant): boolean {
  return conversionProblem(name, constant) === undefined
}

/** Returns the error of converting a constant; undefined if there is none. */
export function conversionProblem(name: string, constant: Constant): string | undefined {
  const unconverted = `type conversion error from '${constant.type}' to '${name}'`
  switch (name) {
    case 'bool':
      return constant.type === 'string' && !/^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(constant.value)
        ? unconverted
        : undefined
    case 'double':
      return constant.type === 'string' && !isFloat(constant.value) ? unconverted : undefined
    case 'int':
      return constant.type === 'string' && !isInteger(constant.value, int64) ? unconverted : overflow(constant, int64, 'integer overflow')
    case 'uint':
      if (constant.type === 'string' && (/^[+-]/.test(constant.value) || !isInteger(constant.value, { least: 0n, most: maxUint64 })))
        return unconverted
      return overflow(constant, { least: 0n, most: maxUint64 }, 'unsigned integer overflow')
    case 'string':
      return constant.type === 'bytes' && !isUtf8(constant.value) ? 'invalid UTF-8 in bytes, cannot convert to string' : undefined
    case 'duration':
      return constant.type === 'string' && isDuration(constant.value) ? undefined : unconverted
    case 'timestamp':
      return isTimestamp(constant) ? undefined : unconverted
    default:
      return undefined
  }
}

interface Range {
  readonly least: bigint
  readonly most: bigint
}

function overflow(constant: Constant, { least, most }: Range, message: string): string | undefined {
  if (constant.type === 'int' || constant.type === 'uint') return constant.value < least || constant.value > most ? message : undefined
  if (constant.type !== 'double') return undefined
  const { value } = constant
  const lowest = least === 0n ? value < 0 : value <= Number(least)
  return Number.isNaN(value) || lowest || value >= Number(most) ? message : undefined
}

function isInteger(text: string, { least, most }: Range): boolean {
  if (!/^[+-]?[0-9]+$/.test(text) || text.length > 100) return false
  const value = BigInt(text.replace(/^\+/, ''))
  return value >= least && value <= most
}

function isFloat(text: string): boolean {
  if (/^[+-]?(?:inf|infinity|nan)$/i.test(text)) return true
  if (/^[+-]?0x(?:[0-9a-f]+(?:\.[0-9a-f]*)?|\.[0-9a-f]+)p[+-]?[0-9]+$/i.test(text)) return true
  return /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i.test(text) && Number.isFinite(Number(text))
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) !== undefined
  } catch {
    return false
  }
}

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) !== undefined
  } catch {
    return false
  }
}

const timestamp = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))$/

/** Accepts seconds or an RFC 3339 string. */
function isTimestamp(constant: Constant): boolean {
  if (constant.type === 'int') return isYear(constant.value)
  const found = constant.type === 'string' ? timestamp.exec(constant.value) : null
  if (found === null) return false
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [number, number, number, number, number, number]
  const [offsetHour, offsetMinute] = [Number(found[8] ?? 0), Number(found[9] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 24 || offsetMinute > 59) return false
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (month < 1 || month > 12 || date.getUTCDate() !== day) return false
  const offset = (found[7] === '-' ? -1 : 1) * (offsetHour * 3600 + offsetMinute * 60)
  return isYear(BigInt(date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset))
}

function isYear(time: bigint): boolean {
  return time >= seconds.least && time <= seconds.most
}
