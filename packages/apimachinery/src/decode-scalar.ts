import type { DecodeContext, GoKind } from './decode-context.ts'
import { getJsonType } from './decode-context.ts'
import { formatDuration, parseDuration } from './duration.ts'
import { JsonError } from './json-error.ts'
import { NumberLiteral, replaceMarkers } from './json-reader.ts'
import { canonicalizeQuantity as formatQuantity } from './quantity.ts'
import { normalizeMicroTime, normalizeTime } from './time.ts'
import type { ScalarType } from './type-schema.ts'

/** Converts a JSON value to its canonical form. Converts null to the zero value. Records type mismatches in the context. */
export type Decoder = (value: unknown, context: DecodeContext) => unknown

/** Canonical values of absent scalars, for fields that JSON always contains. */
export const scalarZero: Readonly<Record<ScalarType, unknown>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  uint64: 0,
  double: 0,
  bytes: null,
  quantity: '0',
  intOrString: 0,
  time: null,
  microTime: null,
  duration: '0s',
  rawExtension: null,
  fieldsV1: null,
  json: null,
}

export function createScalarDecoder(kind: ScalarType, goType: string): Decoder {
  switch (kind) {
    case 'string':
      return (value, context) => {
        if (typeof value === 'string') return value
        if (value !== null) context.recordMismatch(value, goType, 'string')
        return ''
      }
    case 'bool':
      return (value, context) => {
        if (typeof value === 'boolean') return value
        if (value !== null) context.recordMismatch(value, goType, 'bool')
        return false
      }
    case 'int32':
      return createIntegerDecoder('int32', goType, [-(2n ** 31n), 2n ** 31n - 1n])
    case 'int64':
      return createIntegerDecoder('int64', goType, [-(2n ** 63n), 2n ** 63n - 1n])
    case 'uint32':
      return createIntegerDecoder('uint32', goType, [0n, 2n ** 32n - 1n])
    case 'uint64':
      return createIntegerDecoder('uint64', goType, [0n, 2n ** 64n - 1n])
    case 'double':
      return (value, context) => decodeDouble(value, context, goType)
    case 'bytes':
      return (value, context) => decodeBytes(value, context, goType)
    case 'quantity':
      return decodeQuantity
    case 'intOrString':
      return (value, context) => {
        if (typeof value === 'string') return value
        if (value === null) return 0
        return typeof value === 'number' && (value | 0) === value ? value | 0 : decodeStrictInt32(value, context)
      }
    case 'time':
      return createTextDecoder(canonicalizeTime, null)
    case 'microTime':
      return createTextDecoder(canonicalizeMicroTime, null)
    case 'duration':
      return createTextDecoder(canonicalizeDuration, '0s')
    case 'rawExtension':
    case 'fieldsV1':
    case 'json':
      return (value, context) => (context.reuse ? value : replaceMarkers(value))
  }
}

function createIntegerDecoder(kind: GoKind, goType: string, [min, max]: readonly [bigint, bigint]): Decoder {
  const [low, high] = [Number(min), Number(max)]
  return (value, context) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) return value
    if (value === null) return 0
    const literal = numberText(value)
    if (literal === undefined) {
      context.recordMismatch(value, goType, kind)
      return 0
    }
    const exact = context.converting ? convertInteger(literal, kind) : parseInteger(literal)
    if (exact !== undefined && exact >= min && exact <= max) return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
    context.recordNumberMismatch(literal, goType, kind)
    return 0
  }
}

/** Decodes the number of an IntOrString. Throws on a type mismatch, because IntOrString has its own UnmarshalJSON. */
function decodeStrictInt32(value: unknown, context: DecodeContext): number {
  const literal = numberText(value)
  if (literal === undefined) throw context.fatalMismatch(getJsonType(value), 'int32')
  const exact = parseInteger(literal)
  if (exact === undefined || BigInt.asIntN(32, exact) !== exact) throw context.fatalMismatch(`number ${literal}`, 'int32')
  return Number(exact)
}

function numberText(value: unknown): string | undefined {
  if (value instanceof NumberLiteral) return value.text
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined
}

/** Parses an integer like Go's strconv.ParseInt. Returns undefined for a fraction or an exponent. */
function parseInteger(literal: string): bigint | undefined {
  return literal.length < 400 && /^-?[0-9]+$/.test(literal) ? BigInt(literal) : undefined
}

function decodeDouble(value: unknown, context: DecodeContext, goType: string): number {
  if (typeof value === 'number') return value
  if (value === null) return 0
  const literal = numberText(value)
  if (literal === undefined) context.recordMismatch(value, goType, 'float64')
  else if (Number.isFinite(Number(literal))) return Number(literal)
  else context.recordNumberMismatch(literal, goType, 'float64')
  return 0
}

function decodeBytes(value: unknown, context: DecodeContext, goType: string): string | null {
  if (value === null) return null
  if (typeof value === 'string') {
    const bytes = normalizeBase64(value)
    if (typeof bytes === 'string') return bytes
    context.saved ??= `${context.converting ? 'error decoding from json: ' : ''}illegal base64 data at input byte ${bytes}`
    return null
  }
  if (Array.isArray(value)) {
    const decodeByte = createIntegerDecoder('uint8', 'uint8', [0n, 255n])
    return Buffer.from(value.map((item) => decodeByte(item, context) as number)).toString('base64')
  }
  context.recordMismatch(value, goType, 'slice')
  return null
}

function decodeQuantity(value: unknown): string {
  if (value === null) return '0'
  return canonicalizeQuantity(typeof value === 'string' ? value : (numberText(value) ?? getJsonType(value)))
}

/** Returns a decoder for a string type with its own UnmarshalJSON. The decoder throws on a type mismatch. */
function createTextDecoder(normalize: (text: string) => string | null, zero: string | null): Decoder {
  return (value, context) => {
    if (typeof value === 'string') return normalize(value)
    if (value === null) return zero
    throw context.fatalMismatch(getJsonType(value), 'string')
  }
}

/** Matches canonical quantities below 1,000. A quantity with such a number has no shorter spelling with a larger suffix. */
const canonicalQuantityPattern = /^[1-9][0-9]{0,2}(?:[munkMGT]|[KMGT]i)?$/

function canonicalizeQuantity(text: string): string {
  return canonicalQuantityPattern.test(text) ? text : withJsonError(() => formatQuantity(text.trim()))
}

function canonicalizeTime(text: string): string | null {
  return withJsonError(() => normalizeTime(text))
}

function canonicalizeMicroTime(text: string): string | null {
  return withJsonError(() => normalizeMicroTime(text))
}

function canonicalizeDuration(text: string): string {
  return withJsonError(() => formatDuration(parseDuration(text)))
}

/** Runs a parser and converts its error to a `JsonError`, which ends decoding. The parser's message already matches kube-apiserver's. */
function withJsonError<T>(parse: () => T): T {
  try {
    return parse()
  } catch (e) {
    throw new JsonError(e instanceof Error ? e.message : String(e), { cause: e })
  }
}

const canonical = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const alphabet = /[A-Za-z0-9+/]/
const unusedBits = /[^AQgw]==$|[^AEIMQUYcgkosw048]=$/

/** Normalizes base64 like Go, which ignores line breaks. If the text is invalid, returns the offset of the first invalid byte. */
function normalizeBase64(text: string): string | number {
  if (canonical.test(text)) return unusedBits.test(text) ? Buffer.from(text, 'base64').toString('base64') : text
  const invalidOffset = findBase64Error(text)
  return invalidOffset ?? Buffer.from(text.replace(/[\r\n]/g, ''), 'base64').toString('base64')
}

/**
 * Returns the offset N in Go's `illegal base64 data at input byte N`; undefined for valid base64. `letters` matches the letters of the
 * alphabet.
 */
export function findBase64Error(text: string, letters: RegExp = alphabet): number | undefined {
  const input = Buffer.from(text)
  let at = 0
  const next = (): string | undefined => {
    while (at < input.length && (input[at] === 0x0a || input[at] === 0x0d)) at++
    return at < input.length ? String.fromCharCode(input[at++]!) : undefined
  }
  for (;;) {
    for (let j = 0; j < 4; j++) {
      const c = next()
      if (c === undefined) return j === 0 ? undefined : at - j
      if (letters.test(c)) continue
      if (c !== '=' || j < 2) return at - 1
      if (j === 2) {
        const second = next()
        if (second === undefined) return input.length
        if (second !== '=') return at - 2
      }
      const pause = next()
      return pause === undefined ? undefined : at - 1
    }
  }
}

const width: Partial<Record<GoKind, number>> = { int32: 32, int64: 64, uint8: 8, uint32: 32, uint64: 64 }
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n]

/**
 * Converts a JSON number to an integer like upstream's converter of unstructured objects. Keeps the low bits of integers that are too large.
 * Accepts `1.0` and `1e3`. Returns undefined for a number with a fraction.
 */
export function convertInteger(literal: string, to: GoKind): bigint | undefined {
  const decoded = decodeInteger(literal)
  const bits = width[to]
  if (decoded === undefined || bits === undefined) return undefined
  return to.startsWith('u') ? BigInt.asUintN(bits, decoded) : BigInt.asIntN(bits, decoded)
}

/** Converts a number to a 64-bit integer. A number out of range becomes the minimum, as on amd64. */
function decodeInteger(literal: string): bigint | undefined {
  if (literal.length < 400 && /^-?[0-9]+$/.test(literal)) {
    const exact = BigInt(literal)
    return exact >= least && exact <= most ? exact : least
  }
  const number = Number(literal)
  if (!Number.isInteger(number)) return undefined
  const integer = BigInt(number)
  return integer >= least && integer <= most ? integer : least
}
