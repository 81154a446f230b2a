import { getGoType } from '../values/text.ts'
import { CelError, EvaluationPanic, OpaqueValue } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { getElement, isList, listSize } from '../values/list.ts'
import { findInMap, isMap, listKeys } from '../values/map.ts'
import { PreservedValue } from '../values/schema-value.ts'
import { getChargedSize, getSize } from '../values/size.ts'
import { workload } from '../values/workload.ts'
import { NamedFormat } from '../functions/named-formats.ts'

export const createListCost = 10
export const createMapCost = 30
export const createStructCost = 40
const traversalFactor = 0.1
const patternFactor = 0.25
const callCost = 1
/** Cost of an authorization check. The cost limit of an expression allows two checks. */
const authorizationCost = 350_000

/** Computes the cost of a call from its arguments and its result. */
export type CallCost = (args: readonly Value[], result: Value) => number

const chargeOne: CallCost = () => callCost

function measureValue(value: Value): number {
  return getSize(value) ?? 1
}

/** Returns the cost function of reading the argument at `index`; `times` is a factor. */
function chargeTraversal(index: number, times = 1): CallCost {
  return (args) => Math.ceil(measureValue(args[index]!) * times * traversalFactor)
}

function computePatternCost(textSize: number, patternSize: number): number {
  return Math.ceil((1 + textSize) * traversalFactor) * Math.ceil(patternSize * patternFactor)
}

/** Returns the cost of reading a value with all its nested values. */
function computeDeepTraversal(value: Value): number {
  if (typeof value === 'string') return Math.trunc(Buffer.byteLength(value) * traversalFactor)
  if (value instanceof Uint8Array) return Math.trunc(value.length * traversalFactor)
  let cost = 0
  workload.add(1)
  if (isList(value)) {
    for (let i = 0, size = listSize(value); i < size; i++) cost += computeDeepTraversal(getElement(value, i))
    return cost
  }
  if (!isMap(value)) return 1
  for (const key of listKeys(value)) cost += computeDeepTraversal(key) + computeDeepTraversal(findInMap(value, key)!)
  return cost
}

const chargeDeepTraversal: CallCost = ([value]) => computeDeepTraversal(value!)

function newList(factor: number, size: number): number {
  return Math.trunc(size * factor) + callCost + createListCost
}

const chargeResultList: CallCost = (_, result) => newList(1, measureValue(result))

const joinCost: CallCost = (_, result) => Math.ceil(measureValue(result) * 2 * traversalFactor)

/** Creates the error of a cost that is only defined for lists. kube-apiserver panics in this case. */
function createNotListPanic(value: Value): EvaluationPanic {
  const type = value instanceof CelError ? '*types.Err' : getGoType(value)
  const missing = addable.has(type) ? 'Contains' : 'Add'
  return new EvaluationPanic(`interface conversion: ${type} is not traits.Lister: missing method ${missing}`)
}

const addable: ReadonlySet<string> = new Set(
  ['Bytes', 'Double', 'Duration', 'Int', 'String', 'Timestamp', 'Uint'].map((name) => `types.${name}`),
)

/** Returns the cost function of comparing each element of a list with each other element. */
function chargeSelfComparison(index: number): CallCost {
  return (args) => {
    const list = args[index]!
    if (!isList(list)) throw createNotListPanic(list)
    const size = listSize(list)
    const first = size === 0 ? undefined : getElement(list, 0)
    const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + traversalFactor : 2
    return newList(factor, size * size)
  }
}

const chargeFlattening: CallCost = (args) => newList(args.length === 2 ? Number(args[1]) : 1, measureValue(args[0]!))

const chargePairs: CallCost = ([a, b]) => callCost + measureValue(a!) * measureValue(b!)
const chargePairsBothWays: CallCost = ([a, b]) => callCost + measureValue(a!) * measureValue(b!) * 2

function computeSmallerSizeCost(a: Value, b: Value): number {
  return Math.ceil(Math.min(getChargedSize(a), getChargedSize(b)) * traversalFactor)
}

const chargeSmallerSize: CallCost = ([a, b]) => computeSmallerSizeCost(a!, b!)
const chargeBothSizes: CallCost = ([a, b]) => Math.ceil((getChargedSize(a!) + getChargedSize(b!)) * traversalFactor)
const chargeFirstSize: CallCost = ([a]) => Math.ceil(getChargedSize(a!) * traversalFactor)

/** Returns the cost of `==` or `!=`. An equality of opaque values has a fixed cost, except for values without a type in the schema. */
export function computeEqualityCost(first: Value, second: Value, isNegated: boolean): number {
  if ((typeof first === 'number' || typeof first === 'boolean') && typeof second === typeof first) return callCost
  const isFixed = !isNegated && first instanceof OpaqueValue && !(first instanceof PreservedValue)
  return isFixed ? callCost : computeSmallerSizeCost(first, second)
}

const chargeContainment: CallCost = ([network, other]) =>
  Math.ceil(measureValue(network!) * 2 * traversalFactor) +
  (typeof other === 'string' ? Math.ceil(measureValue(other) * traversalFactor) : 0)
const chargeNetworkContainment: CallCost = (args, result) =>
  chargeContainment(args, result) + Math.ceil(measureValue(args[0]!) * traversalFactor) + 1

const chargeSelector: CallCost = (args) => {
  const size = measureValue(args[1]!)
  const requirements = Math.ceil(size * 0.5)
  return createListCost + Math.ceil(size * traversalFactor) + requirements * (createListCost + createStructCost)
}

/** Cost functions by overload. They take precedence over `byFunction`. */
const byOverload: Readonly<Record<string, CallCost>> = {
  list_slice: chargeResultList,
  list_flatten: chargeFlattening,
  list_flatten_int: chargeFlattening,
  lists_range: chargeResultList,
  list_reverse: chargeResultList,
  list_distinct: chargeSelfComparison(0),
  list_sets_contains_list: chargePairs,
  list_sets_intersects_list: chargePairs,
  list_sets_equivalent_list: chargePairsBothWays,
}

const comparableTypes = 'int uint double bool google.protobuf.Duration google.protobuf.Timestamp string bytes'.split(' ')
const sorts: ReadonlyMap<string, CallCost> = new Map(
  comparableTypes.flatMap((type) => [
    [`list_${type}_sort`, chargeSelfComparison(0)],
    [`list_${type}_sortByAssociatedKeys`, chargeSelfComparison(1)],
  ]),
)

/** Cost functions by function name. */
const byFunction: Readonly<Record<string, CallCost>> = {
  check: () => authorizationCost,
  fieldSelector: chargeSelector,
  labelSelector: chargeSelector,
  isSorted: chargeDeepTraversal,
  sum: chargeDeepTraversal,
  max: chargeDeepTraversal,
  min: chargeDeepTraversal,
  indexOf: chargeDeepTraversal,
  lastIndexOf: chargeDeepTraversal,
  url: chargeTraversal(0),
  lowerAscii: chargeTraversal(0),
  upperAscii: chargeTraversal(0),
  substring: chargeTraversal(0),
  trim: chargeTraversal(0),
  'jsonpatch.escapeKey': chargeTraversal(0),
  replace: chargeTraversal(0, 2),
  split: chargeTraversal(0, 2),
  join: joinCost,
  find: ([text, pattern]) => computePatternCost(measureValue(text!), measureValue(pattern!)),
  findAll: ([text, pattern]) => computePatternCost(measureValue(text!), measureValue(pattern!)),
  cidr: chargeTraversal(0),
  isIP: chargeTraversal(0),
  isCIDR: chargeTraversal(0),
  ip: chargeTraversal(0),
  'ip.isCanonical': chargeTraversal(0, 2),
  containsIP: chargeContainment,
  containsCIDR: chargeNetworkContainment,
  quantity: chargeTraversal(0),
  isQuantity: chargeTraversal(0),
  semver: chargeTraversal(0),
  isSemver: chargeTraversal(0),
  validate: ([format, text]) => (format instanceof NamedFormat ? computePatternCost(measureValue(text!), format.patternSize) : callCost),
}

/** Cost functions of CEL's standard overloads. */
const standard: Readonly<Record<string, CallCost>> = {
  starts_with_string: chargeFirstSize,
  ends_with_string: chargeFirstSize,
  string_to_bytes: chargeFirstSize,
  bytes_to_string: chargeFirstSize,
  strings_quote: chargeFirstSize,
  string_format: chargeFirstSize,
  in_list: ([, list]) => getChargedSize(list!),
  less_string: chargeSmallerSize,
  greater_string: chargeSmallerSize,
  less_equals_string: chargeSmallerSize,
  greater_equals_string: chargeSmallerSize,
  less_bytes: chargeSmallerSize,
  greater_bytes: chargeSmallerSize,
  less_equals_bytes: chargeSmallerSize,
  greater_equals_bytes: chargeSmallerSize,
  not_equals: chargeSmallerSize,
  add_string: chargeBothSizes,
  add_bytes: chargeBothSizes,
  matches_string: ([text, pattern]) => computePatternCost(getChargedSize(text!), getChargedSize(pattern!)),
  contains_string: ([text, part]) =>
    Math.ceil(getChargedSize(text!) * traversalFactor) * Math.ceil(getChargedSize(part!) * traversalFactor),
}

/** Returns the cost function of a call. `overload` is empty if the overload depends on run-time types. */
export function getCallCost(name: string, overload: string): CallCost {
  if (overload === 'cidr_ip') return chargeOne
  return (
    findOwnCost(byOverload, overload) ??
    sorts.get(overload) ??
    findOwnCost(byFunction, name) ??
    findOwnCost(standard, overload) ??
    chargeOne
  )
}

/** Returns whether the cost is always 1. */
export function isNominal(cost: CallCost): boolean {
  return cost === chargeOne
}

/**
 * Returns whether the cost depends on the result of the call. Other costs are charged before the call, so that calls above the limit do not
 * run.
 */
export function dependsOnResult(cost: CallCost): boolean {
  return cost === chargeResultList || cost === joinCost
}

function findOwnCost(table: Readonly<Record<string, CallCost>>, name: string): CallCost | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
