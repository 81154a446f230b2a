import { add } from '../values/arithmetic.ts'
import { compare, contains, equals, isComparable, keepError } from '../values/equality.ts'
import { Duration } from '../values/duration.ts'
import { CelList, getElement, listElements, isList, listSize } from '../values/list.ts'
import type { ListValue } from '../values/list.ts'
import { EntryMap, findInMap, isMap, listKeys } from '../values/map.ts'
import type { MapValue } from '../values/map.ts'
import { getTypeName, formatValue } from '../values/text.ts'
import { CelError, Double, noSuchOverload, Uint } from '../values/value.ts'
import type { Int, Value } from '../values/value.ts'
import { workload } from '../values/workload.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementation, Implementations } from './implementation.ts'

/** The list of the first integers from 0, which are computed on access and not stored. */
class RangeList extends CelList {
  readonly size: number

  constructor(size: number) {
    super()
    this.size = size
  }

  get(index: number): Value {
    return index
  }
}

function slice(list: ListValue, start: Int, end: Int): Value {
  const size = listSize(list)
  const createSliceError = (reason: string): CelError => new CelError(`cannot slice(${start}, ${end}), ${reason}`)
  if (start < 0 || end < 0) return createSliceError('negative indexes not supported')
  if (start > end) return createSliceError('start index must be less than or equal to end index')
  if (size < end) return createSliceError(`list is length ${size}`)
  const from = Number(start)
  workload.add(Number(end) - from)
  return Array.from({ length: Number(end) - from }, (_, i) => getElement(list, from + i))
}

export function flatten(list: ListValue, depth: Int = 1): Value {
  if (depth < 0) return new CelError('level must be non-negative')
  const flat: Value[] = []
  flattenInto(flat, list, Number(depth))
  return flat
}

function flattenInto(flat: Value[], list: ListValue, depth: number): void {
  workload.add(listSize(list) * 2)
  for (const item of listElements(list)) {
    if (depth > 0 && isList(item)) flattenInto(flat, item, depth - 1)
    else flat.push(item)
  }
}

function removeDuplicates(list: ListValue): Value {
  const elements: Value[] = []
  const texts = new Set<string>()
  for (const item of listElements(list)) {
    if (typeof item === 'string') {
      if (!texts.has(item)) elements.push(item)
      texts.add(item)
    } else if (contains(elements, item) !== true) elements.push(item)
  }
  return elements
}

/** Sorts a list by the keys of its elements. */
export function sortByKeys(list: ListValue, keys: ListValue): Value {
  const size = listSize(list)
  const keyCount = listSize(keys)
  if (size !== keyCount) {
    const counts = `but got ${size} and ${keyCount} elements respectively`
    return new CelError(`@sortByAssociatedKeys() expected a list of the same size as the associated keys list, ${counts}`)
  }
  if (size === 0) return list
  const keyValues = listElements(keys)
  if (!isComparable(keyValues[0]!)) return new CelError('list elements must be comparable')
  const type = getTypeName(keyValues[0]!)
  if (size > 1 && !keyValues.every((key) => getTypeName(key) === type)) return new CelError('list elements must have the same type')
  const order = Array.from(keyValues, (_, i) => i)
  order.sort((a, b) => {
    const result = compare(keyValues[a]!, keyValues[b]!)
    return typeof result === 'number' ? result : 0
  })
  return order.map((i) => getElement(list, i))
}

function isSorted(list: ListValue): Value {
  let previous: Value | undefined
  for (const item of listElements(list)) {
    if (!isComparable(item)) return keepError(item)
    const order = previous === undefined ? 0 : compare(previous, item)
    if (typeof order === 'number' && order > 0) return false
    previous = item
  }
  return true
}

/** Creates the implementation of `min()` or `max()`. */
function findExtreme(name: string, direction: number): Implementation {
  return adaptTypes((list: ListValue): Value => {
    let best: Value | undefined
    for (const item of listElements(list)) {
      if (!isComparable(item)) return keepError(item)
      const order = best === undefined ? 1 : compare(item, best)
      if (typeof order === 'number' && (best === undefined || order * direction > 0)) best = item
    }
    return best === undefined ? new CelError(`${name} called on empty list`) : best
  })
}

function sum(zero: Value): Implementation {
  return adaptTypes((list: ListValue): Value => {
    let total = zero
    for (const item of listElements(list)) {
      total = add(total, item)
      if (total instanceof CelError) return total
    }
    return total
  })
}

function indexIn(list: ListValue, value: Value): Value {
  for (const [i, item] of listElements(list).entries()) if (equals(item, value) === true) return i
  return -1
}

function findLastIndex(list: ListValue, value: Value): Value {
  for (let i = listSize(list) - 1; i >= 0; i--) if (equals(getElement(list, i), value) === true) return i
  return -1
}

function containsAll(list: ListValue, part: ListValue): boolean | CelError {
  for (const item of listElements(part)) {
    const result = contains(list, item)
    if (result !== true) return result
  }
  return true
}

function containsEachOther(a: ListValue, b: ListValue): boolean | CelError {
  const result = containsAll(a, b)
  return result === true ? containsAll(b, a) : result
}

/** Adds an entry to the map that a comprehension builds. Returns an error for a duplicate key. */
function insertEntry(map: Value, key: Value, value: Value): Value {
  if (!(map instanceof EntryMap)) return noSuchOverload
  if (map.find(key) !== undefined) return new CelError(`insert failed: key ${formatValue(key)} already exists`)
  map.set(key, value)
  return map
}

function insertEntries(map: Value, entries: MapValue): Value {
  for (const key of listKeys(entries)) {
    const result = insertEntry(map, key, findInMap(entries, key)!)
    if (result instanceof CelError) return result
  }
  return map
}

const comparableTypes = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']
const zeros: Readonly<Record<string, Value>> = { int: 0, uint: new Uint(0n), double: new Double(0), duration: new Duration(0n) }

/** List functions. */
export const lists: Implementations = {
  ...Object.fromEntries(
    comparableTypes.flatMap((type) => [
      [`list_${type}_is_sorted_bool`, adaptTypes(isSorted)],
      [`list_${type}_max_${type}`, findExtreme('max', 1)],
      [`list_${type}_min_${type}`, findExtreme('min', -1)],
    ]),
  ),
  ...Object.fromEntries(Object.entries(zeros).map(([type, zero]) => [`list_${type}_sum_${type}`, sum(zero)])),
  list_a_index_of_int: adaptTypes(indexIn),
  list_a_last_index_of_int: adaptTypes(findLastIndex),
  list_distinct: adaptTypes(removeDuplicates),
  list_reverse: adaptTypes((list: ListValue) => listElements(list).toReversed()),
  list_sets_contains_list: adaptTypes(containsAll),
  list_sets_equivalent_list: adaptTypes(containsEachOther),
  list_sets_intersects_list: adaptTypes((a: ListValue, b: ListValue) => listElements(a).some((item) => contains(b, item) === true)),
  list_slice: adaptTypes(slice),
  lists_range: adaptTypes((size: Int) => new RangeList(Math.max(Number(size), 0))),
  '@mapInsert_map_key_value': adaptTypes(insertEntry),
  '@mapInsert_map_map': adaptTypes((map: Value, entries: Value) => (isMap(entries) ? insertEntries(map, entries) : noSuchOverload)),
}
