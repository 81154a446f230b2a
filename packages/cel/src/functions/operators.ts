import { add, divide, computeModulo, multiply, negate, subtract, createUnsupportedError } from '../values/arithmetic.ts'
import { compare, contains, isComparable, keepError } from '../values/equality.ts'
import { isList } from '../values/list.ts'
import { findInMap, isMap } from '../values/map.ts'
import { PreservedValue } from '../values/schema-value.ts'
import { CelError, isInt, TypeValue } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { getTypeName } from '../values/text.ts'
import { getSize } from '../values/size.ts'
import { workload } from '../values/workload.ts'
import { flatten, sortByKeys } from './lists.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementation } from './implementation.ts'
import { matches } from './regular-expressions.ts'

function createComparison(operator: string, holds: (order: number) => boolean): Implementation {
  return adaptTypes((a: Value, b: Value): Value => {
    if (!isComparable(a)) return createUnsupportedError(operator, a)
    const order = compare(a, b)
    return typeof order === 'number' ? holds(order) : order
  })
}

function isIn(value: Value, container: Value): Value {
  if (isList(container)) return contains(container, value)
  if (!isMap(container)) return keepError(container)
  const entry = findInMap(container, value)
  return entry instanceof CelError ? entry : entry !== undefined
}

/** Number of characters that can be searched in the time of one step. */
const charactersPerStep = 32

function createTextTest(test: (text: string, part: string) => boolean): Implementation {
  return adaptTypes((text: Value, part: Value): Value => {
    if (typeof text !== 'string') return keepError(text)
    workload.read(text, charactersPerStep)
    return typeof part === 'string' ? test(text, part) : keepError(part)
  })
}

/** Implementations by function name. Each handles all overloads of the function and checks the types itself. */
export const sharedImplementations: Readonly<Record<string, Implementation>> = {
  '_+_': adaptTypes(add),
  '_-_': adaptTypes(subtract),
  '_*_': adaptTypes(multiply),
  '_/_': adaptTypes(divide),
  '_%_': adaptTypes(computeModulo),
  '-_': adaptTypes(negate),
  '!_': adaptTypes((value: Value) => (typeof value === 'boolean' ? !value : keepError(value))),
  '_<_': createComparison('_<_', (order) => order < 0),
  '_<=_': createComparison('_<=_', (order) => order <= 0),
  '_>_': createComparison('_>_', (order) => order > 0),
  '_>=_': createComparison('_>=_', (order) => order >= 0),
  '@in': adaptTypes(isIn),
  '@sortByAssociatedKeys': adaptTypes((list: Value, keys: Value) =>
    isList(list) && isList(keys) ? sortByKeys(list, keys) : createUnsupportedError('@sortByAssociatedKeys', list),
  ),
  contains: createTextTest((text, part) => text.includes(part)),
  endsWith: createTextTest((text, part) => text.endsWith(part)),
  startsWith: createTextTest((text, part) => text.startsWith(part)),
  dyn: adaptTypes((value: Value) => value),
  flatten: adaptTypes(flattenValue),
  matches: adaptTypes(matches),
  size: adaptTypes((value: Value) => getSize(value) ?? createUnsupportedError('size', value)),
  sort: adaptTypes((list: Value) => (isList(list) ? sortByKeys(list, list) : createUnsupportedError('sort', list))),
  type: adaptTypes((value: Value) =>
    value instanceof PreservedValue ? value.conversionProblem('type') : new TypeValue(getTypeName(value)),
  ),
}

/** Implements `flatten()`. Unlike the declared overloads, it also accepts a list without nested lists. */
function flattenValue(list: Value, depth: Value = 1): Value {
  if (isList(list) && isInt(depth)) return flatten(list, depth)
  return new CelError(`no such overload: ${getTypeName(list)}.flatten()`)
}
