import { compilePattern } from '@keelson/cel'
import { compareUtf8, formatFloat, goJson, setOwn, createVerbatimValue } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'
import { Flag, isInteger } from './schema-node.ts'
import type { SchemaNode } from './schema-node.ts'

// Checks of one value without its members. They allocate nothing if the value is valid.

/** Returns the type of a value that is not null: `number` for numbers that are not integers. */
export function getTypeFlag(value: JsonValue): number {
  switch (typeof value) {
    case 'string':
      return Flag.string
    case 'boolean':
      return Flag.boolean
    case 'object':
      return Array.isArray(value) ? Flag.array : Flag.object
    default:
      return isInteger(value) ? Flag.integer : Flag.number
  }
}

/** Result of the type check of a value: valid, or the kind of message. */
export type TypeCheck = 'valid' | 'wrong type' | 'wrong format'

/** Checks the type of a value that is not null. A format can widen or narrow the types, as in kube-openapi. */
export function checkType(node: SchemaNode, value: JsonValue): TypeCheck {
  const types = node.flags & Flag.anyType
  const format = node.constraints?.format
  if (types === 0 && format === undefined) return 'valid'
  const type = getTypeFlag(value)
  const isNumber = (type & (Flag.integer | Flag.number)) !== 0
  const isAllowed = (types & type) !== 0 || (isNumber && (types & computeNumberTypes(type, value)) !== 0)
  if (format === undefined) return isAllowed ? 'valid' : 'wrong type'
  const isTextOrList = (type & (Flag.string | Flag.array)) !== 0
  if (!isTextOrList && !isAllowed && !(format === 'int64' && type === Flag.integer)) return 'wrong format'
  if (isTextOrList && (types & (Flag.integer | Flag.number)) === 0) return 'valid'
  return isAllowed ? 'valid' : 'wrong type'
}

/** Returns the types that a number satisfies: floats without a fraction are integers too, and all integers are numbers. */
function computeNumberTypes(type: number, value: JsonValue): number {
  if (type === Flag.integer) return Flag.number
  return isFloatWithoutFraction(value as number) ? Flag.integer : 0
}

const maxJsonFloat = 2 ** 53 - 1

/** Returns whether kube-openapi takes a float for an integer: within ±(2⁵³−1), and with no fraction or a tiny one. */
function isFloatWithoutFraction(value: number): boolean {
  if (!(Math.abs(value) <= maxJsonFloat)) return false
  const integer = Math.trunc(value)
  if (value === integer) return true
  return integer > 0 && (value - integer) / (value + integer) < 1e-9
}

/** Returns the limit that a number is compared with. For integers, the limit is converted to int64, as in kube-openapi. */
export function convertBound(value: number | bigint, limit: number): number {
  return isInteger(value) ? toInt64(limit) : limit
}

/** Converts a float to an integer. Floats out of the range of int64 become its minimum, as on amd64. */
function toInt64(value: number): number {
  return isWithin(value, int64) ? Math.trunc(value) : int64[0]
}

export function isAbove(value: number | bigint, bound: number, isExclusive: boolean): boolean {
  return isExclusive ? value >= bound : value > bound
}

export function isBelow(value: number | bigint, bound: number, isExclusive: boolean): boolean {
  return isExclusive ? value <= bound : value < bound
}

/** Returns whether a number is a multiple of a positive factor, which must be an integer if the number is one. */
export function isMultipleOf(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint') return value % BigInt(factor) === 0n
  return isInteger(value) ? value % factor === 0 : isMultipleOfFloat(value, factor)
}

export function isMultipleOfFloat(value: number, factor: number): boolean {
  return isFloatWithoutFraction(factor < 1 ? (1 / factor) * value : value / factor)
}

const int32 = [-(2 ** 31), 2 ** 31 - 1] as const
const int64 = [-(2 ** 63), 2 ** 63 - 1025] as const
/** The smallest number that rounds to infinity as float32. */
const float32Limit = 3.4028235677973366e38

/**
 * Returns whether a number is outside of the range of its type and format. `types` and `format` are those of the schema. Only schemas with
 * exactly one numeric type have a range.
 */
export function isOutOfRange(value: number | bigint, types: number, format: string | undefined): boolean {
  if (types === Flag.integer) {
    if (!isInteger(value)) return !(Number.isInteger(value) && isWithin(value, format === 'int32' ? int32 : int64))
    return format === 'int32' && !isWithin(value, int32)
  }
  return types === Flag.number && format === 'float' && Math.abs(Number(value)) >= float32Limit
}

function isWithin(value: number | bigint, [least, most]: readonly [number, number]): boolean {
  return least <= value && value <= most
}

/** Returns the length of a text in code points. */
export function countCodePoints(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length - 1; i++) {
    if (isInRange(text.charCodeAt(i), 0xd800) && isInRange(text.charCodeAt(i + 1), 0xdc00)) {
      length--
      i++
    }
  }
  return length
}

function isInRange(code: number, start: number): boolean {
  return code >= start && code < start + 0x400
}

export function isTooLong(text: string, maxLength: number): boolean {
  return text.length > maxLength && countCodePoints(text) > maxLength
}

export function isTooShort(text: string, minLength: number): boolean {
  return text.length < minLength || (text.length < 2 * minLength && countCodePoints(text) < minLength)
}

/** Returns whether a text matches a pattern: true or false, or Go's error message if the pattern is invalid. */
export function matchPattern(text: string, pattern: string): boolean | string {
  const compiled = compilePattern(pattern)
  return typeof compiled === 'string' ? compiled : compiled.test(text)
}

/** Returns whether two JSON values are equal, like Go's reflect.DeepEqual. */
export function equalsValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!equalsValue(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  let count = 0
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !equalsValue(a[key], b[key])) return false
    count++
  }
  return count === countMembers(b)
}

export function countMembers(value: { readonly [key: string]: JsonValue }): number {
  let count = 0
  // oxlint-disable-next-line no-unused-vars -- counts the keys without an array of them
  for (const _ in value) count++
  return count
}

export function hasDuplicates(items: readonly JsonValue[]): boolean {
  const seen = new SeenValues()
  return items.some((item) => seen.add(item) > 1)
}

/** Counts equal values. */
export class SeenValues {
  readonly #scalars = new Map<unknown, number>()
  readonly #indexesByKey = new Map<string, number>()

  /** Adds a value. Returns how often it was added. */
  add(value: JsonValue | undefined): number {
    if (typeof value === 'object' && value !== null) return increment(this.#indexesByKey, goJson(sortKeys(value)))
    return increment(this.#scalars, value)
  }
}

function increment<Key>(counts: Map<Key, number>, key: Key): number {
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  return count
}

/** Copies a value with its keys sorted at all levels. */
export function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortKeys)
  const sorted: { [key: string]: JsonValue } = {}
  for (const key of Object.keys(value).sort(compareUtf8)) setOwn(sorted, key, sortKeys(value[key]!))
  return sorted
}

/** Returns a value as errors print it: floats as in Go, objects with sorted keys. */
export function formatForMessage(value: JsonValue): unknown {
  if (typeof value === 'object') return createVerbatimValue(goJson(sortKeys(value)))
  return typeof value === 'number' && !isInteger(value) ? createVerbatimValue(formatFloat(value)) : value
}
