import { parseBoolean, parseInt64 } from '@keelson/apimachinery'
import { parseDuration } from '../values/duration.ts'
import type { Duration } from '../values/duration.ts'
import { formatDouble } from '../values/text.ts'
import { isWithinYears, parseTimestamp, Timestamp } from '../values/timestamp.ts'
import { CelError, Double, toInt, Uint } from '../values/value.ts'
import type { Int, Value } from '../values/value.ts'
import { decodeUtf8 } from './bytes-text.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementations } from './implementation.ts'
import { parseFloat64 } from './parse-float.ts'

const intOverflow = new CelError('integer overflow')
const uintOverflow = new CelError('unsigned integer overflow')
const timestampOverflow = new CelError('timestamp overflow')
const invalidUtf8 = new CelError('invalid UTF-8 in bytes, cannot convert to string')
const maxUint64Digits = 1000

function createConversionError(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`)
}

const identity = adaptTypes((value: Value) => value)

function convertDoubleToInt({ value }: Double): Value {
  return Number.isNaN(value) || value <= -(2 ** 63) || value >= 2 ** 63 ? intOverflow : toInt(BigInt(Math.trunc(value)))
}

function convertDoubleToUint({ value }: Double): Value {
  return Number.isNaN(value) || value < 0 || value >= 2 ** 64 ? uintOverflow : new Uint(BigInt(Math.trunc(value)))
}

function parseUint(text: string): Value {
  if (text.length > maxUint64Digits || !/^[0-9]+$/.test(text)) return createConversionError('string', 'uint')
  const value = BigInt(text)
  return value < 2n ** 64n ? new Uint(value) : createConversionError('string', 'uint')
}

function parseIntText(text: string): Value {
  const value = text.length > maxUint64Digits ? undefined : parseInt64(text)
  return value === undefined ? createConversionError('string', 'int') : toInt(value)
}

function createTimestamp(seconds: Int): Value {
  return isWithinYears(Number(seconds)) ? new Timestamp(Number(seconds), 0) : timestampOverflow
}

function parseTimestampText(text: string): Value {
  const time = parseTimestamp(text)
  if (time === undefined) return createConversionError('string', 'google.protobuf.Timestamp')
  return isWithinYears(time.seconds) ? time : timestampOverflow
}

function decodeBytes(bytes: Uint8Array): Value {
  return decodeUtf8(bytes) ?? invalidUtf8
}

/** Conversions between types. */
export const conversions: Implementations = {
  bool_to_bool: identity,
  string_to_bool: adaptTypes((text: string) => parseBoolean(text) ?? createConversionError('string', 'bool')),
  bytes_to_bytes: identity,
  string_to_bytes: adaptTypes((text: string) => Buffer.from(text)),
  double_to_double: identity,
  int64_to_double: adaptTypes((value: Int) => new Double(Number(value))),
  string_to_double: adaptTypes((text: string) => {
    const value = parseFloat64(text)
    return value === undefined ? createConversionError('string', 'double') : new Double(value)
  }),
  uint64_to_double: adaptTypes(({ value }: Uint) => new Double(Number(value))),
  duration_to_duration: identity,
  int64_to_duration: adaptTypes(() => createConversionError('int', 'google.protobuf.Duration')),
  string_to_duration: adaptTypes((text: string) => parseDuration(text) ?? createConversionError('string', 'google.protobuf.Duration')),
  int64_to_int64: identity,
  double_to_int64: adaptTypes(convertDoubleToInt),
  duration_to_int64: adaptTypes(({ nanos }: Duration) => toInt(nanos)),
  string_to_int64: adaptTypes(parseIntText),
  timestamp_to_int64: adaptTypes(({ seconds }: Timestamp) => seconds),
  uint64_to_int64: adaptTypes(({ value }: Uint) => (value >= 2n ** 63n ? intOverflow : toInt(value))),
  string_to_string: identity,
  bool_to_string: adaptTypes(String),
  bytes_to_string: adaptTypes(decodeBytes),
  double_to_string: adaptTypes(({ value }: Double) => formatDouble(value)),
  duration_to_string: adaptTypes(String),
  int64_to_string: adaptTypes(String),
  timestamp_to_string: adaptTypes(String),
  uint64_to_string: adaptTypes(({ value }: Uint) => String(value)),
  timestamp_to_timestamp: identity,
  int64_to_timestamp: adaptTypes(createTimestamp),
  string_to_timestamp: adaptTypes(parseTimestampText),
  uint64_to_uint64: identity,
  double_to_uint64: adaptTypes(convertDoubleToUint),
  int64_to_uint64: adaptTypes((value: Int) => (value < 0 ? uintOverflow : new Uint(BigInt(value)))),
  string_to_uint64: adaptTypes(parseUint),
}
