import { parseQuantity } from '@keelson/apimachinery'
import type { Quantities, Quantity } from '@keelson/apimachinery'

/** One limit of a LimitRange: `min`, `max` or `maxLimitRequestRatio` of one resource. */
export interface Bound {
  readonly type: string
  readonly resource: string
  readonly value: Quantity
}
export interface Usage {
  readonly requests: Quantities
  readonly limits: Quantities
}

/** Largest integer whose thousandths fit into an int64. Larger numbers are compared in whole units. */
const largestMilli = 9223372036854775807n / 1000n
const zero = parseQuantity('0')

/** Checks a minimum. Returns an error message if the usage is below it. */
export function checkMinimum(bound: Bound, usage: Usage): string | undefined {
  const { request, limit, value } = convertToThousandths(bound, usage)
  const minimum = `minimum ${bound.resource} usage per ${bound.type} is ${bound.value}`
  if (!usage.requests.has(bound.resource)) return `${minimum}.  No request is specified`
  if (request < value) return `${minimum}, but request is ${usage.requests.get(bound.resource)}`
  if (usage.limits.has(bound.resource) && limit < value) return `${minimum}, but limit is ${usage.limits.get(bound.resource)}`
  return undefined
}

export function checkMaximum(bound: Bound, usage: Usage): string | undefined {
  const { request, limit, value } = convertToThousandths(bound, usage)
  const maximum = `maximum ${bound.resource} usage per ${bound.type} is ${bound.value}`
  if (!usage.limits.has(bound.resource)) return `${maximum}.  No limit is specified`
  if (limit > value) return `${maximum}, but limit is ${usage.limits.get(bound.resource)}`
  if (usage.requests.has(bound.resource) && request > value) return `${maximum}, but request is ${usage.requests.get(bound.resource)}`
  return undefined
}

/** Checks a maximum for objects that have only requests. */
export function checkRequestMaximum(bound: Bound, requests: Quantities): string | undefined {
  const { request, value } = convertToThousandths(bound, { requests, limits: new Map() })
  const maximum = `maximum ${bound.resource} usage per ${bound.type} is ${bound.value}`
  if (!requests.has(bound.resource)) return `${maximum}.  No request is specified`
  return request > value ? `${maximum}, but request is ${requests.get(bound.resource)}` : undefined
}

export function checkRatio(bound: Bound, usage: Usage): string | undefined {
  const { request, limit } = convertToThousandths(bound, usage)
  const ratio = `${bound.resource} max limit to request ratio per ${bound.type} is ${bound.value}`
  if (request === 0n) return `${ratio}, but no request is specified or request is 0`
  if (limit === 0n) return `${ratio}, but no limit is specified or limit is 0`
  const observed = Number(limit) / Number(request)
  const isFine = bound.value.value() <= largestMilli
  const isAbove = isFine ? observed * 1000 > Number(bound.value.milliValue()) : observed > Number(bound.value.value())
  return isAbove ? `${ratio}, but provided ratio is ${observed.toFixed(6)}` : undefined
}

/** Converts all three numbers to thousandths if they fit into an int64, and otherwise to whole units. */
function convertToThousandths({ resource, value }: Bound, { requests, limits }: Usage): { request: bigint; limit: bigint; value: bigint } {
  const quantities = [requests.get(resource) ?? zero, limits.get(resource) ?? zero, value]
  const fits = quantities.every((quantity) => quantity.value() <= largestMilli)
  const [request, limit, bound] = quantities.map((quantity) => (fits ? quantity.milliValue() : quantity.value()))
  return { request: request!, limit: limit!, value: bound! }
}
