import { goTypeOf } from '../values/text.ts'
import { CelError, EvaluationPanic, OpaqueValue } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { elementAt, isList, listSize } from '../values/list.ts'
import { findInMap, isMap, keysOf } from '../values/map.ts'
import { chargedSize, sizeOfValue } from '../values/size.ts'
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

const one: CallCost = () => callCost

function sizeOf(value: Value): number {
  return sizeOfValue(value) ?? 1
}

/** Returns the cost function of reading the argument at `index`; `times` is a factor. */
function traversal(index: number, times = 1): CallCost {
  return (args) => Math.ceil(sizeOf(args[index]!) * times * traversalFactor)
}

function patternCost(textSize: number, patternSize: number): number {
  return Math.ceil((1 + textSize) * traversalFactor) * Math.ceil(patternSize * patternFactor)
}

/** Returns the cost of reading a value with all its nested values. */
function deepTraversal(value: Value): number {
  if (typeof value === 'string') return Math.trunc(Buffer.byteLength(value) * traversalFactor)
  if (value instanceof Uint8Array) return Math.trunc(value.length * traversalFactor)
  let cost = 0
  workload.add(1)
  if (isList(value)) {
    for (let i = 0, size = listSize(value); i < size; i++) cost += deepTraversal(elementAt(value, i))
    return cost
  }
  if (!isMap(value)) return 1
  for (const key of keysOf(value)) cost += deepTraversal(key) + deepTraversal(findInMap(value, key)!)
  return cost
}

const deep: CallCost = ([value]) => deepTraversal(value!)

function newList(factor: number, size: number): number {
  return Math.trunc(size * factor) + callCost + createListCost
}

const resultList: CallCost = (_, result) => newList(1, sizeOf(result))

const joinCost: CallCost = (_, result) => Math.ceil(sizeOf(result) * 2 * traversalFactor)

/** Creates the error of a cost that is only defined for lists. kube-apiserver panics in this case. */
function notList(value: Value): EvaluationPanic {
  const type = value instanceof CelError ? '*types.Err' : goTypeOf(value)
  const missing = addable.has(type) ? 'Contains' : 'Add'
  return new EvaluationPanic(`interface conversion: ${type} is not traits.Lister: missing method ${missing}`)
}

const addable: ReadonlySet<string> = new Set(
  ['Bytes', 'Double', 'Duration', 'Int', 'String', 'Timestamp', 'Uint'].map((name) => `types.${name}`),
)

/** Returns the cost function of comparing each element of a list with each other element. */
function selfComparison(index: number): CallCost {
  return (args) => {
    const list = args[index]!
    if (!isList(list)) throw notList(list)
    const size = listSize(list)
    const first = size === 0 ? undefined : elementAt(list, 0)
    const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + traversalFactor : 2
    return newList(factor, size * size)
  }
}

const flattening: CallCost = (args) => newList(args.length === 2 ? Number(args[1]) : 1, sizeOf(args[0]!))

const pairs: CallCost = ([a, b]) => callCost + sizeOf(a!) * sizeOf(b!)
const pairsBothWays: CallCost = ([a, b]) => callCost + sizeOf(a!) * sizeOf(b!) * 2

const smallerSize: CallCost = ([a, b]) => Math.ceil(Math.min(chargedSize(a!), chargedSize(b!)) * traversalFactor)
const bothSizes: CallCost = ([a, b]) => Math.ceil((chargedSize(a!) + chargedSize(b!)) * traversalFactor)
const firstSize: CallCost = ([a]) => Math.ceil(chargedSize(a!) * traversalFactor)

/** Cost of `==`. A comparison of opaque values has a fixed cost. */
export const equalityCost: CallCost = (args, result) => (args[0] instanceof OpaqueValue ? callCost : smallerSize(args, result))

export const inequalityCost: CallCost = smallerSize

const containment: CallCost = ([network, other]) =>
  Math.ceil(sizeOf(network!) * 2 * traversalFactor) + (typeof other === 'string' ? Math.ceil(sizeOf(other) * traversalFactor) : 0)
const networkContainment: CallCost = (args, result) => containment(args, result) + Math.ceil(sizeOf(args[0]!) * traversalFactor) + 1

const selectorCost: CallCost = (args) => {
  const size = sizeOf(args[1]!)
  const requirements = Math.ceil(size * 0.5)
  return createListCost + Math.ceil(size * traversalFactor) + requirements * (createListCost + createStructCost)
}

/** Cost functions by overload. They take precedence over `byFunction`. */
const byOverload: Readonly<Record<string, CallCost>> = {
  list_slice: resultList,
  list_flatten: flattening,
  list_flatten_int: flattening,
  lists_range: resultList,
  list_reverse: resultList,
  list_distinct: selfComparison(0),
  list_sets_contains_list: pairs,
  list_sets_intersects_list: pairs,
  list_sets_equivalent_list: pairsBothWays,
}

const comparableTypes = 'int uint double bool google.protobuf.Duration google.protobuf.Timestamp string bytes'.split(' ')
const sorts: ReadonlyMap<string, CallCost> = new Map(
  comparableTypes.flatMap((type) => [
    [`list_${type}_sort`, selfComparison(0)],
    [`list_${type}_sortByAssociatedKeys`, selfComparison(1)],
  ]),
)

/** Cost functions by function name. */
const byFunction: Readonly<Record<string, CallCost>> = {
  check: () => authorizationCost,
  fieldSelector: selectorCost,
  labelSelector: selectorCost,
  isSorted: deep,
  sum: deep,
  max: deep,
  min: deep,
  indexOf: deep,
  lastIndexOf: deep,
  url: traversal(0),
  lowerAscii: traversal(0),
  upperAscii: traversal(0),
  substring: traversal(0),
  trim: traversal(0),
  'jsonpatch.escapeKey': traversal(0),
  replace: traversal(0, 2),
  split: traversal(0, 2),
  join: joinCost,
  find: ([text, pattern]) => patternCost(sizeOf(text!), sizeOf(pattern!)),
  findAll: ([text, pattern]) => patternCost(sizeOf(text!), sizeOf(pattern!)),
  cidr: traversal(0),
  isIP: traversal(0),
  isCIDR: traversal(0),
  ip: traversal(0),
  'ip.isCanonical': traversal(0, 2),
  containsIP: containment,
  containsCIDR: networkContainment,
  quantity: traversal(0),
  isQuantity: traversal(0),
  semver: traversal(0),
  isSemver: traversal(0),
  validate: ([format, text]) => (format instanceof NamedFormat ? patternCost(sizeOf(text!), format.patternSize) : callCost),
}

/** Cost functions of CEL's standard overloads. */
const standard: Readonly<Record<string, CallCost>> = {
  starts_with_string: firstSize,
  ends_with_string: firstSize,
  string_to_bytes: firstSize,
  bytes_to_string: firstSize,
  strings_quote: firstSize,
  string_format: firstSize,
  in_list: ([, list]) => chargedSize(list!),
  less_string: smallerSize,
  greater_string: smallerSize,
  less_equals_string: smallerSize,
  greater_equals_string: smallerSize,
  less_bytes: smallerSize,
  greater_bytes: smallerSize,
  less_equals_bytes: smallerSize,
  greater_equals_bytes: smallerSize,
  not_equals: smallerSize,
  add_string: bothSizes,
  add_bytes: bothSizes,
  matches_string: ([text, pattern]) => patternCost(chargedSize(text!), chargedSize(pattern!)),
  contains_string: ([text, part]) => Math.ceil(chargedSize(text!) * traversalFactor) * Math.ceil(chargedSize(part!) * traversalFactor),
}

/** Returns the cost function of a call. `overload` is empty if the overload depends on run-time types. */
export function getCallCost(name: string, overload: string): CallCost {
  if (overload === 'cidr_ip') return one
  return ownCost(byOverload, overload) ?? sorts.get(overload) ?? ownCost(byFunction, name) ?? ownCost(standard, overload) ?? one
}

/** Returns whether the cost is always 1. */
export function isNominal(cost: CallCost): boolean {
  return cost === one
}

/**
 * Returns whether the cost depends on the result of the call. Other costs are charged before the call, so that calls above the limit do not
 * run.
 */
export function dependsOnResult(cost: CallCost): boolean {
  return cost === resultList || cost === joinCost
}

function ownCost(table: Readonly<Record<string, CallCost>>, name: string): CallCost | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
