/** kube-apiserver's message for expressions that were not evaluated because the cost budget was exhausted. */
export const outOfBudget: string = 'validation failed due to running out of cost budget, no further validation rules will be run'

/**
 * A cost budget that several expressions share, for example the validations of a policy.
 *
 * @example
 * const budget = new CostBudget(10_000_000)
 * for (const program of programs) {
 *   const { value, cost } = await program.evaluate({ object })
 *   if (!budget.spend(cost)) throw new Error(outOfBudget)
 * }
 */
export class CostBudget {
  #remaining: number

  constructor(total: number) {
    this.#remaining = total
  }

  get remaining(): number {
    return this.#remaining
  }

  /** Subtracts a cost from the budget. If the cost exceeds the remaining budget, returns false and sets the remainder to 0. */
  spend(cost: number): boolean {
    const suffices = cost <= this.#remaining
    this.#remaining = suffices ? this.#remaining - cost : 0
    return suffices
  }
}
