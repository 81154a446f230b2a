import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { roundToEven } from '@keelson/cel'

/** Maximum estimated cost of one expression, multiplied by the number of values that it validates. */
export const maxExpressionCost = 10_000_000n
/** Maximum estimated cost of all expressions of a schema. */
const maxTotalCost = 100_000_000n
const maxCost = 2n ** 64n - 1n

/** Returns the product, or the maximum cost if the product is larger. */
export function multiply(cost: bigint, count: bigint): bigint {
  const product = cost * count
  return product > maxCost ? maxCost : product
}

/** Returns kube-apiserver's message for a cost above its limit. */
export function describeExcess(name: string, cost: bigint, limit: bigint): string {
  const excess = Number(cost) / Number(limit)
  const factor = excess > 100 ? 'more than 100x' : `${roundToEven(excess, excess < 1.5 ? 6 : 1)}x`
  const advice = 'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'
  return `${name} exceeds budget by factor of ${factor} (${advice})`
}

/** The sum of the estimated costs of a schema's expressions. */
export class CostTotal {
  #total = 0n
  /** The four most expensive expressions that use at least 1 % of the limit. */
  #expensive: { readonly path: FieldPath; readonly cost: bigint }[] = []

  add(path: FieldPath, cost: bigint): void {
    this.#total = this.#total + cost > maxCost ? maxCost : this.#total + cost
    if (cost < maxTotalCost / 100n) return
    this.#expensive.push({ path, cost })
    this.#expensive = this.#expensive.sort((a, b) => (a.cost < b.cost ? 1 : a.cost > b.cost ? -1 : 0)).slice(0, 4)
  }

  /** Adds errors if the total exceeds its limit. `path` is the path of the schema. */
  report(path: FieldPath, errors: FieldErrorList): void {
    if (this.#total <= maxTotalCost) return
    for (const expensive of this.#expensive) {
      const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
      errors.push(fieldError.forbidden(expensive.path, detail))
    }
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    errors.push(fieldError.forbidden(path, describeExcess(name, this.#total, maxTotalCost)))
  }
}
