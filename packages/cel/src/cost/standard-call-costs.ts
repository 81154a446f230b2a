import { estimateSearchCost } from './kubernetes-call-costs.ts'
import { exactly, product, sum, times } from './range.ts'
import type { CallCost, CallNodes } from './sized-node.ts'

const traversal = 0.1
const comparisons = /^(?:equals|not_equals|(?:less|greater)(?:_equals)?_(?:string|bytes))$/

/** Estimates calls of CEL's standard functions. */
export function estimateStandardCall(overload: string, { target, args }: CallNodes): CallCost {
  const [first, second] = args
  switch (overload) {
    case 'string_format':
      return { cost: times(target!.size, traversal) }
    case 'string_to_bytes':
      return { cost: times(first!.size, traversal), resultSize: { min: first!.size.min, max: BigInt.asUintN(64, first!.size.max * 4n) } }
    case 'bytes_to_string':
      return { cost: times(first!.size, traversal), resultSize: { min: first!.size.min / 4n, max: first!.size.max } }
    case 'strings_quote':
      return {
        cost: times(first!.size, traversal),
        resultSize: { min: first!.size.min + 2n, max: BigInt.asUintN(64, first!.size.max * 2n + 2n) },
      }
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: times(first!.size, traversal) }
    case 'in_list':
      return { cost: times(second!.size, 1) }
    case 'matches_string':
      return { cost: estimateSearchCost(target!.size, first!.size) }
    case 'contains_string':
      return { cost: product(times(target!.size, traversal), times(first!.size, traversal)) }
    case 'add_list':
      return { cost: exactly(1n), resultSize: sum(first!.size, second!.size) }
    case 'add_string':
    case 'add_bytes': {
      const resultSize = sum(first!.size, second!.size)
      return { cost: times(resultSize, traversal), resultSize }
    }
    default: {
      if (!comparisons.test(overload)) return { cost: exactly(1n) }
      const max = first!.size.max < second!.size.max ? first!.size.max : second!.size.max
      return { cost: times({ min: max > 0n ? 1n : 0n, max }, traversal) }
    }
  }
}
