import { getElement, listElements, isList, listSize } from '../values/list.ts'
import type { ListValue } from '../values/list.ts'
import { isMap, mapSize } from '../values/map.ts'
import { Duration } from '../values/duration.ts'
import { Timestamp } from '../values/timestamp.ts'
import { formatValue } from '../values/text.ts'
import { CelError, Double, none, Optional, Uint } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementations } from './implementation.ts'

const absentValue = new CelError('optional.none() dereference')
/** Go's zero time, January 1 of the year 1, in seconds since 1970. */
const zeroSeconds = -62_135_596_800

function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0) return true
  if (value instanceof Double) return value.value === 0
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Uint8Array) return value.length === 0
  if (value instanceof Duration) return value.nanos === 0n
  if (value instanceof Timestamp) return value.seconds === zeroSeconds && value.nanos === 0
  if (isList(value)) return listSize(value) === 0
  return isMap(value) && mapSize(value) === 0
}

function unwrap(list: ListValue): Value {
  const present: Value[] = []
  for (const item of listElements(list)) {
    if (!(item instanceof Optional)) return new CelError(`value ${formatValue(item)} is not optional`)
    if (item.value !== undefined) present.push(item.value)
  }
  return present
}

function findElementIfAny(list: ListValue, index: number): Value {
  return listSize(list) === 0 ? none : new Optional(getElement(list, index))
}

/** Implementations of functions on optional values. The evaluator implements `or` and `orValue` as operators. */
export const optionals: Implementations = {
  list_first: adaptTypes((list: ListValue) => findElementIfAny(list, 0)),
  list_last: adaptTypes((list: ListValue) => findElementIfAny(list, listSize(list) - 1)),
  optional_hasValue: adaptTypes(({ value }: Optional) => value !== undefined),
  optional_none: () => none,
  optional_of: adaptTypes((value: Value) => new Optional(value)),
  optional_ofNonZeroValue: adaptTypes((value: Value) => (isZero(value) ? none : new Optional(value))),
  optional_unwrap: adaptTypes(unwrap),
  optional_unwrapOpt: adaptTypes(unwrap),
  optional_value: adaptTypes(({ value }: Optional) => (value === undefined ? absentValue : value)),
}
