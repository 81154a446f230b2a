import { estimateSearchCost } from './kubernetes-call-costs.ts'
import { createExactRange, multiplyRanges, sum, scaleRange } from './range.ts'
import type { CallCost, CallNodes } from './sized-node.ts'

const traversal = 0.1
const comparisons = /^(?:equals|not_equals|(?:less|greater)(?:_equals)?_(?:string|bytes))$/

/** Estimates calls of CEL's standard functions. */
export function estimateStandardCall(overload: string, { target, args }: CallNodes): CallCost {
  const [first, second] = args
  switch (overload) {
    case 'string_format':
      return { cost: scaleRange(target!.size, traversal) }
    case 'string_to_bytes':
      return {
        cost: scaleRange(first!.size, traversal),
        resultSize: { min: first!.size.min, max: BigInt.asUintN(64, first!.size.max * 4n) },
      }
    case 'bytes_to_string':
      return { cost: scaleRange(first!.size, traversal), resultSize: { min: first!.size.min / 4n, max: first!.size.max } }
    case 'strings_quote':
      return {
        cost: scaleRange(first!.size, traversal),
        resultSize: { min: first!.size.min + 2n, max: BigInt.asUintN(64, first!.size.max * 2n + 2n) },
      }
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: scaleRange(first!.size, traversal) }
    case 'in_list':
      return { cost: scaleRange(second!.size, 1) }
    case 'matches_string':
      return { cost: estimateSearchCost(target!.size, first!.size) }
    case 'contains_string':
      return { cost: multiplyRanges(scaleRange(target!.size, traversal), scaleRange(first!.size, traversal)) }
    case 'add_list':
      return { cost: createExactRange(1n), resultSize: sum(first!.size, second!.size) }
    case 'add_string':
    case 'add_bytes': {
      const resultSize = sum(first!.size, second!.size)
      return { cost: scaleRange(resultSize, traversal), resultSize }
    }
    default: {
      if (!comparisons.test(overload)) return { cost: createExactRange(1n) }
      const max = first!.size.max < second!.size.max ? first!.size.max : second!.size.max
      return { cost: scaleRange({ min: max > 0n ? 1n : 0n, max }, traversal) }
    }
  }
}
