import type { CelMap } from './map.ts'
import type { CelList } from './list.ts'
import type { Duration } from './duration.ts'
import type { Timestamp } from './timestamp.ts'

/** Base class of values that are not decoded JSON, except bytes. One test for it is faster than a comparison of prototypes. */
export abstract class BoxedValue {
  /** Exists only in types, so that no other object has this type. */
  declare protected readonly boxed: true
}

/** An unsigned 64-bit integer. */
export class Uint extends BoxedValue {
  readonly value: bigint

  constructor(value: bigint) {
    super()
    this.value = value
  }
}

/** A value of type double. Plain JavaScript numbers represent the type int, so doubles need this wrapper. */
export class Double extends BoxedValue {
  readonly value: number

  constructor(value: number) {
    super()
    this.value = value
  }
}

/** A type used as a value: the result of `type(x)`, or a type name such as `int`. */
export class TypeValue extends BoxedValue {
  readonly name: string

  constructor(name: string) {
    super()
    this.name = name
  }
}

/** An optional value, which can be absent. */
export class Optional extends BoxedValue {
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    super()
    this.value = value
  }
}

export const none: Optional = new Optional(undefined)

/** A failed evaluation. Errors are values: `&&`, `||` and `all()` can ignore them. */
export class CelError extends BoxedValue {
  readonly message: string

  constructor(message: string) {
    super()
    this.message = message
  }
}

/**
 * Thrown where kube-apiserver panics and reports an internal error for the whole expression. Unlike a `CelError`, `&&` and `||` cannot
 * ignore it.
 */
export class EvaluationPanic extends Error {}

/** Returns the error for a native Go value that cel-go cannot convert to a CEL value. */
export function createConversionError(type: string, text: string): CelError {
  return new CelError(`unsupported conversion to ref.Val: (${type})${text}`)
}

export const noSuchOverload: CelError = new CelError('no such overload')

/** Base class of values without visible parts, for example a quantity or a URL. Only functions can read them. */
export abstract class OpaqueValue extends BoxedValue {
  abstract readonly typeName: string
  /** Size for cost estimates; undefined for types without a size. */
  get size(): number | undefined {
    return undefined
  }

  abstract equals(other: Value): boolean | CelError

  /** Returns the value after conversion to a native Go type and back, as in cel-go. See `reread` in attributes.ts. */
  reread(): Value {
    return this
  }

  override toString(): string {
    return this.typeName
  }
}

/** A message built by an expression, for example `Object{…}`. */
export class StructValue extends BoxedValue {
  readonly typeName: string
  readonly fields: ReadonlyMap<string, Value>

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    super()
    this.typeName = typeName
    this.fields = fields
  }
}

/** A decoded JSON object, used as a map with string keys. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Returns whether a value is a decoded JSON object. */
export function isJsonRecord(value: unknown): value is JsonRecord {
  return (
    typeof value === 'object' && value !== null && !(value instanceof BoxedValue) && !Array.isArray(value) && !ArrayBuffer.isView(value)
  )
}

/**
 * A CEL value. An `int` is a number if it is a safe integer, and otherwise a bigint. Arrays and objects may contain decoded JSON, which
 * `adapt` converts on access.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint
  | Double
  | Uint8Array
  | Timestamp
  | Duration
  | readonly unknown[]
  | CelList
  | CelMap
  | JsonRecord
  | TypeValue
  | Optional
  | StructValue
  | OpaqueValue
  | CelError

/** An `int` value. */
export type Int = number | bigint

const minInt64 = -(2 ** 63)
const maxInt64 = 2 ** 63

/**
 * Converts decoded JSON to a CEL value without copying it. Integral numbers become ints, other numbers doubles. CEL values are returned
 * unchanged.
 */
export function adapt(raw: unknown): Value {
  switch (typeof raw) {
    case 'string':
    case 'boolean':
      return raw
    case 'number':
      if (Number.isSafeInteger(raw)) return raw + 0
      return Number.isInteger(raw) && raw >= minInt64 && raw < maxInt64 ? BigInt(raw) : new Double(raw)
    case 'bigint':
      return toInt(raw)
    case 'object':
      return raw as Value
    default:
      return null
  }
}

/** Returns the shortest representation of an int. The value must be within 64 bits. */
export function toInt(value: bigint): Int {
  const small = Number(value)
  return Number.isSafeInteger(small) ? small : value
}

export function isInt(value: Value): value is Int {
  return typeof value === 'number' || typeof value === 'bigint'
}
