import { equalsType } from '../types/type.ts'
import { capCost, createExactRange, maximumCost, multiplyRanges, sum, scaleRange } from './range.ts'
import type { Range } from './range.ts'
import type { CallCost, CallNodes, SizedNode } from './sized-node.ts'

const traversal = 0.1
const patternLength = 0.25
const maxNamePattern = 128
const maxFormat = 64n
/** Size of an address in bytes. */
const addressSize: Range = { min: 4n, max: 16n }
const fixed: CallCost = { cost: createExactRange(1n) }

/** Functions with a cost of 1, for example lookups and functions that build an authorization check. */
const nominal: ReadonlySet<string> = new Set(
  [
    'serviceAccount path group resource subresource namespace name allowed reason error errored',
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named',
    'sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch',
    'getScheme getHostname getHost getPort getEscapedPath getQuery',
  ].flatMap((names) => names.split(' ')),
)
const comparable: ReadonlySet<string> = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  ...['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map((name) => `kubernetes.authorization.${name}`),
])

/** Estimates the cost of a call to a function whose cost Kubernetes defines; undefined for other functions. */
export function estimateKubernetesCall(name: string, overload: string, nodes: CallNodes): CallCost | undefined {
  const { target, args } = nodes
  const [first] = args
  if (nominal.has(name) || overload === 'cidr_ip') return fixed
  switch (name) {
    case 'check':
      return { cost: createExactRange(350_000n) }
    case 'fieldSelector':
    case 'labelSelector':
      return { cost: estimateSelectorCost(first!.size) }
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return { cost: estimateComparisons(target!, nodes) }
    case 'url':
    case 'jsonpatch.escapeKey':
      return { cost: scaleRange(first!.size, traversal), resultSize: first!.size }
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return { cost: scaleRange(target!.size, traversal), resultSize: target!.size }
    case 'replace':
      return { cost: scaleRange(target!.size, 2 * traversal), resultSize: estimateReplacedSize(target!.size, first!.size, args[1]!.size) }
    case 'split':
      return { cost: scaleRange(target!.size, 2 * traversal), resultSize: { min: 0n, max: limitParts(target!.size.max, args[1]) } }
    case 'join': {
      const size = estimateJoinedSize(target!, nodes)
      return { cost: scaleRange(size, traversal), resultSize: size }
    }
    case 'find':
    case 'findAll':
      return { cost: estimateSearchCost(target!.size, first!.size), resultSize: { min: 0n, max: target!.size.max } }
    case 'ip':
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return { cost: scaleRange(first!.size, traversal) }
    case 'ip.isCanonical':
      return { cost: scaleRange(first!.size, 2 * traversal) }
    case 'containsIP':
    case 'containsCIDR':
      return { cost: containsCost(name, overload, first!.size) }
    case 'validate':
      return { cost: scaleRange(scaleRange(first!.size, traversal), maxNamePattern * patternLength) }
    case '_==_':
      return estimateEqualityCost(first!, args[1]!)
    default:
      return undefined
  }
}

/**
 * Estimates the cost of matching a regular expression. Assumes one subexpression per four characters of the pattern, each tried at every
 * position of the text.
 */
export function estimateSearchCost(text: Range, pattern: Range): Range {
  return multiplyRanges(scaleRange(sum(text, createExactRange(1n)), traversal), scaleRange(pattern, patternLength))
}

function estimateSelectorCost(length: Range): Range {
  const requirements = scaleRange(length, 0.5)
  return sum(createExactRange(10n), scaleRange(length, traversal), scaleRange(requirements, 50))
}

function estimateComparisons(target: SizedNode, { getItemSize }: CallNodes): Range {
  const [element] = target.type.parameters
  if (element === undefined) return scaleRange(target.size, traversal)
  const isText = element.kind === 'string' || element.kind === 'bytes'
  return multiplyRanges(target.size, isText ? sum(createExactRange(1n), scaleRange(getItemSize(target), traversal)) : createExactRange(1n))
}

/**
 * Estimates the size of a text after replacements. The minimum assumes the longest matches and the shortest replacement; the maximum
 * assumes the opposite.
 */
function estimateReplacedSize(size: Range, match: Range, replacement: Range): Range {
  const maxCount = match.min === 0n ? capCost(size.max + 1n) : replacement.max <= match.min ? 0n : divideRoundingUp(size.max, match.min)
  const minCount = match.max === 0n ? capCost(size.min + 1n) : match.max <= replacement.min ? 0n : divideRoundingUp(size.min, match.max)
  const unmatched = {
    min: match.max === 0n || match.max <= replacement.min ? size.min : 0n,
    max: match.min === 0n || replacement.max <= match.min ? size.max : 0n,
  }
  return sum(multiplyRanges({ min: minCount, max: maxCount }, replacement), unmatched)
}

function divideRoundingUp(a: bigint, b: bigint): bigint {
  const float = Math.ceil(Number(a) / Number(b))
  return float >= 2 ** 64 ? maximumCost : BigInt(float)
}

function limitParts(size: bigint, limit: SizedNode | undefined): bigint {
  const constant = limit?.expression?.kind === 'literal' ? limit.expression.constant : undefined
  return constant?.type === 'int' ? BigInt.asUintN(64, constant.value) : size
}

function estimateJoinedSize(list: SizedNode, { args: [separator], getItemSize }: CallNodes): Range {
  const elements = list.type.parameters.length === 0 ? createExactRange(0n) : multiplyRanges(list.size, getItemSize(list))
  if (separator === undefined) return elements
  const separators = { min: decrementToZero(list.size.min), max: decrementToZero(list.size.max) }
  return sum(elements, multiplyRanges(separator.size, separators))
}

function decrementToZero(count: bigint): bigint {
  return count > 0n ? count - 1n : 0n
}

function containsCost(name: string, overload: string, argument: Range): Range {
  const compared = scaleRange(sum(addressSize, addressSize), traversal)
  const masked = name === 'containsCIDR' ? sum(scaleRange(addressSize, traversal), createExactRange(1n)) : createExactRange(0n)
  return sum(compared, masked, overload.endsWith('_string') ? scaleRange(argument, traversal) : createExactRange(0n))
}

function estimateEqualityCost(a: SizedNode, b: SizedNode): CallCost | undefined {
  if (a.type.name !== b.type.name || !equalsType({ ...a.type, parameters: [] }, { ...b.type, parameters: [] })) return undefined
  const { name } = a.type
  if (comparable.has(name)) return fixed
  if (name === 'kubernetes.NamedFormat') return { cost: scaleRange({ min: 1n, max: maxFormat }, traversal) }
  if (name !== 'kubernetes.URL') return undefined
  return { cost: scaleRange({ min: 1n, max: b.isSizeKnown ? b.size.max : 1n }, traversal) }
}
