import { createExactRange, maximumCost, multiplyRanges, sum, scaleRange } from './range.ts'
import type { Range } from './range.ts'
import type { CallCost, CallNodes, SizedNode } from './sized-node.ts'

const callCost = createExactRange(1n)
const newListCost = createExactRange(10n)

type Estimate = (nodes: CallNodes) => CallCost | undefined

/** Cost estimates by overload, for functions that build or compare lists. */
const estimates: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  [
    'list_slice',
    ({ target, args: [start, end] }) =>
      newList(1, createExactRange(subtractWrapping(readInt(end!, target!.size.max), readInt(start!, 0n)))),
  ],
  ['list_flatten', ({ target }) => newList(1, target!.size)],
  ['list_flatten_int', ({ target, args: [depth] }) => newList(Number(readInt(depth!, maximumCost)), target!.size)],
  ['lists_range', ({ args: [size] }) => newList(1, createExactRange(readInt(size!, maximumCost)))],
  ['list_reverse', ({ target }) => newList(1, target!.size)],
  ['list_distinct', ({ target }) => newList(2, multiplyRanges(target!.size, target!.size))],
  ['list_sets_contains_list', (nodes) => estimatePairs(nodes, 1)],
  ['list_sets_intersects_list', (nodes) => estimatePairs(nodes, 1)],
  ['list_sets_equivalent_list', (nodes) => estimatePairs(nodes, 2)],
])

export function estimateListCall(overload: string, nodes: CallNodes): CallCost | undefined {
  const sort = /^list_(.+)_sort(ByAssociatedKeys)?$/.exec(overload)
  if (sort === null) return estimates.get(overload)?.(nodes)
  const { size } = sort[2] === undefined ? nodes.target! : nodes.args[0]!
  return newList(sort[1] === 'string' || sort[1] === 'bytes' ? 2.1 : 2, multiplyRanges(size, size))
}

function newList(factor: number, size: Range): CallCost {
  return { cost: sum(scaleRange(size, factor), callCost, newListCost), resultSize: size }
}

function estimatePairs({ args: [a, b] }: CallNodes, factor: number): CallCost {
  return { cost: sum(scaleRange(multiplyRanges(a!.size, b!.size), factor), callCost) }
}

function subtractWrapping(a: bigint, b: bigint): bigint {
  return BigInt.asUintN(64, a - b)
}

/** Returns the value of a constant that is not negative; `otherwise` for other expressions. */
function readInt({ expression }: SizedNode, otherwise: bigint): bigint {
  if (expression?.kind !== 'literal' || expression.constant.type !== 'int') return otherwise
  return expression.constant.value < 0n ? 0n : expression.constant.value
}
