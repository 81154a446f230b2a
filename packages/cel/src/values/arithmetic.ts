import { Duration, nanosPerSecond } from './duration.ts'
import { keepError } from './equality.ts'
import { ConcatList, listElements, isList, listSize, MutableList, getElement } from './list.ts'
import { SchemaList } from './schema-value.ts'
import { isWithinYears, Timestamp } from './timestamp.ts'
import { CelError, Double, isInt, noSuchOverload, toInt, Uint } from './value.ts'
import type { Int, Value } from './value.ts'

const intOverflow = new CelError('integer overflow')
const uintOverflow = new CelError('unsigned integer overflow')
const timestampOverflow = new CelError('timestamp overflow')
const divisionByZero = new CelError('division by zero')
const modulusByZero = new CelError('modulus by zero')
/** Maximum length of a string or byte sequence that an expression can build. */
const maxTextLength = 1 << 28
const tooLong = new CelError('string is too long')

function checkInt(value: bigint): Value {
  return BigInt.asIntN(64, value) === value ? toInt(value) : intOverflow
}

function checkUint(value: bigint): Value {
  return BigInt.asUintN(64, value) === value ? new Uint(value) : uintOverflow
}

function checkDuration(nanos: bigint): Value {
  return BigInt.asIntN(64, nanos) === nanos ? new Duration(nanos) : intOverflow
}

/**
 * Returns the error of an operator that a type does not support. The messages for strings and times do not name the operator, as in cel-go.
 */
export function createUnsupportedError(operator: string, a: Value): CelError {
  const isReceiver = typeof a === 'string' || a instanceof Timestamp || a instanceof Duration
  return isReceiver ? noSuchOverload : new CelError(`no such overload: ${operator}`)
}

export function add(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    return Number.isSafeInteger(sum) ? sum : checkInt(BigInt(a) + BigInt(b))
  }
  if (typeof a === 'string') return typeof b === 'string' ? concatStrings(a, b) : keepError(b)
  if (isInt(a)) return isInt(b) ? checkInt(BigInt(a) + BigInt(b)) : keepError(b)
  if (a instanceof MutableList) return append(a, b)
  if (a instanceof SchemaList) return isList(b) ? a.concat(listElements(b)) : keepError(b)
  if (isList(a)) return isList(b) ? concat(a, b) : keepError(b)
  if (a instanceof Double) return b instanceof Double ? new Double(a.value + b.value) : keepError(b)
  if (a instanceof Uint) return b instanceof Uint ? checkUint(a.value + b.value) : keepError(b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? concatBytes(a, b) : keepError(b)
  if (a instanceof Duration) {
    if (b instanceof Duration) return checkDuration(a.nanos + b.nanos)
    return b instanceof Timestamp ? addTime(b, a.nanos) : keepError(b)
  }
  if (a instanceof Timestamp) return b instanceof Duration ? addTime(a, b.nanos) : keepError(b)
  return createUnsupportedError('_+_', a)
}

function concatStrings(a: string, b: string): Value {
  return a.length + b.length > maxTextLength ? tooLong : a + b
}

function concatBytes(a: Uint8Array, b: Uint8Array): Value {
  return a.length + b.length > maxTextLength ? tooLong : Buffer.concat([a, b])
}

function append(list: MutableList, other: Value): Value {
  if (!isList(other)) return keepError(other)
  for (let i = 0, size = listSize(other); i < size; i++) list.items.push(getElement(other, i))
  return list
}

function concat(a: Value & Parameters<typeof listSize>[0], b: Value & Parameters<typeof listSize>[0]): Value {
  if (listSize(a) === 0) return b
  return listSize(b) === 0 ? a : new ConcatList(a, b)
}

function addTime(time: Timestamp, nanos: bigint): Value {
  const total = BigInt(time.nanos) + nanos
  const rest = ((total % nanosPerSecond) + nanosPerSecond) % nanosPerSecond
  const seconds = time.seconds + Number((total - rest) / nanosPerSecond)
  return isWithinYears(seconds) ? new Timestamp(seconds, Number(rest), time.offset) : timestampOverflow
}

export function subtract(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    return Number.isSafeInteger(difference) ? difference : checkInt(BigInt(a) - BigInt(b))
  }
  if (isInt(a)) return isInt(b) ? checkInt(BigInt(a) - BigInt(b)) : keepError(b)
  if (a instanceof Double) return b instanceof Double ? new Double(a.value - b.value) : keepError(b)
  if (a instanceof Uint) return b instanceof Uint ? checkUint(a.value - b.value) : keepError(b)
  if (a instanceof Duration) return b instanceof Duration ? checkDuration(a.nanos - b.nanos) : keepError(b)
  if (a instanceof Timestamp) {
    if (b instanceof Duration) return b.nanos === -(2n ** 63n) ? intOverflow : addTime(a, -b.nanos)
    return b instanceof Timestamp ? subtractTimes(a, b) : keepError(b)
  }
  return createUnsupportedError('_-_', a)
}

function subtractTimes(a: Timestamp, b: Timestamp): Value {
  return checkDuration(BigInt(a.seconds - b.seconds) * nanosPerSecond + BigInt(a.nanos - b.nanos))
}

export function multiply(a: Value, b: Value): Value {
  if (isInt(a)) {
    if (!isInt(b)) return keepError(b)
    const product = Number(a) * Number(b)
    return Number.isSafeInteger(product) && typeof a === 'number' && typeof b === 'number' ? product + 0 : checkInt(BigInt(a) * BigInt(b))
  }
  if (a instanceof Double) return b instanceof Double ? new Double(a.value * b.value) : keepError(b)
  if (a instanceof Uint) return b instanceof Uint ? checkUint(a.value * b.value) : keepError(b)
  return createUnsupportedError('_*_', a)
}

export function divide(a: Value, b: Value): Value {
  if (isInt(a)) {
    if (!isInt(b)) return keepError(b)
    if (b === 0) return divisionByZero
    return typeof a === 'number' && typeof b === 'number' ? (a - (a % b)) / b + 0 : checkInt(BigInt(a) / BigInt(b))
  }
  if (a instanceof Double) return b instanceof Double ? new Double(a.value / b.value) : keepError(b)
  if (!(a instanceof Uint)) return createUnsupportedError('_/_', a)
  if (!(b instanceof Uint)) return keepError(b)
  return b.value === 0n ? divisionByZero : new Uint(a.value / b.value)
}

export function computeModulo(a: Value, b: Value): Value {
  if (isInt(a)) {
    if (!isInt(b)) return keepError(b)
    if (b === 0) return modulusByZero
    return typeof a === 'number' && typeof b === 'number' ? (a % b) + 0 : computeRemainder(a, b)
  }
  if (!(a instanceof Uint)) return createUnsupportedError('_%_', a)
  if (!(b instanceof Uint)) return keepError(b)
  return b.value === 0n ? modulusByZero : new Uint(a.value % b.value)
}

function computeRemainder(a: Int, b: Int): Value {
  return BigInt(a) === -(2n ** 63n) && b === -1 ? intOverflow : toInt(BigInt(a) % BigInt(b))
}

export function negate(value: Value): Value {
  if (typeof value === 'number') return -value + 0
  if (typeof value === 'bigint') return checkInt(-value)
  if (value instanceof Double) return new Double(-value.value)
  if (value instanceof Duration) return checkDuration(-value.nanos)
  return typeof value === 'boolean' ? noSuchOverload : createUnsupportedError('-_', value)
}
