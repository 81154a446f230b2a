import { add, divide, modulo, multiply, negate, subtract, unsupported } from '../values/arithmetic.ts'
import { compare, contains, isComparable, orError } from '../values/equality.ts'
import { isList } from '../values/list.ts'
import { findInMap, isMap } from '../values/map.ts'
import { PreservedValue } from '../values/schema-value.ts'
import { CelError, isInt, TypeValue } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { typeNameOf } from '../values/text.ts'
import { sizeOfValue } from '../values/size.ts'
import { workload } from '../values/workload.ts'
import { flatten, sortByKeys } from './lists.ts'
import { typed } from './implementation.ts'
import type { Implementation } from './implementation.ts'
import { matches } from './regular-expressions.ts'

function createComparison(operator: string, holds: (order: number) => boolean): Implementation {
  return typed((a: Value, b: Value): Value => {
    if (!isComparable(a)) return unsupported(operator, a)
    const order = compare(a, b)
    return typeof order === 'number' ? holds(order) : order
  })
}

function isIn(value: Value, container: Value): Value {
  if (isList(container)) return contains(container, value)
  if (!isMap(container)) return orError(container)
  const entry = findInMap(container, value)
  return entry instanceof CelError ? entry : entry !== undefined
}

/** Number of characters that can be searched in the time of one step. */
const charactersPerStep = 32

function createTextTest(test: (text: string, part: string) => boolean): Implementation {
  return typed((text: Value, part: Value): Value => {
    if (typeof text !== 'string') return orError(text)
    workload.read(text, charactersPerStep)
    return typeof part === 'string' ? test(text, part) : orError(part)
  })
}

/** Implementations by function name. Each handles all overloads of the function and checks the types itself. */
export const sharedImplementations: Readonly<Record<string, Implementation>> = {
  '_+_': typed(add),
  '_-_': typed(subtract),
  '_*_': typed(multiply),
  '_/_': typed(divide),
  '_%_': typed(modulo),
  '-_': typed(negate),
  '!_': typed((value: Value) => (typeof value === 'boolean' ? !value : orError(value))),
  '_<_': createComparison('_<_', (order) => order < 0),
  '_<=_': createComparison('_<=_', (order) => order <= 0),
  '_>_': createComparison('_>_', (order) => order > 0),
  '_>=_': createComparison('_>=_', (order) => order >= 0),
  '@in': typed(isIn),
  '@sortByAssociatedKeys': typed((list: Value, keys: Value) =>
    isList(list) && isList(keys) ? sortByKeys(list, keys) : unsupported('@sortByAssociatedKeys', list),
  ),
  contains: createTextTest((text, part) => text.includes(part)),
  endsWith: createTextTest((text, part) => text.endsWith(part)),
  startsWith: createTextTest((text, part) => text.startsWith(part)),
  dyn: typed((value: Value) => value),
  flatten: typed(flattenValue),
  matches: typed(matches),
  size: typed((value: Value) => sizeOfValue(value) ?? unsupported('size', value)),
  sort: typed((list: Value) => (isList(list) ? sortByKeys(list, list) : unsupported('sort', list))),
  type: typed((value: Value) => (value instanceof PreservedValue ? value.conversionProblem('type') : new TypeValue(typeNameOf(value)))),
}

/** Implements `flatten()`. Unlike the declared overloads, it also accepts a list without nested lists. */
function flattenValue(list: Value, depth: Value = 1): Value {
  if (isList(list) && isInt(depth)) return flatten(list, depth)
  return new CelError(`no such overload: ${typeNameOf(list)}.flatten()`)
}
