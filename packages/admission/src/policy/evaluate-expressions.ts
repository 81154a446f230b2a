import { maybeThen, quote } from '@keelson/apimachinery'
import { CelError, CostBudget, Lazy, outOfBudget } from '@keelson/cel'
import type { EvaluateOptions, Evaluation, Value } from '@keelson/cel'
import type { PolicyExpression, PolicyVariable } from './policy-compiler.ts'

/** The result of one expression: a value or an error. */
export interface ExpressionResult {
  readonly value: Value | undefined
  readonly error: string | undefined
  /** The duration of the evaluation. */
  readonly seconds: number
}

/** The results of several expressions that share a cost budget. An absent expression has no result. */
export type ExpressionResults =
  | { readonly results: readonly (ExpressionResult | undefined)[]; readonly remaining: number; readonly problem?: undefined }
  /** The budget is exhausted. `problem` is kube-apiserver's message. */
  | { readonly problem: string }

/** The CEL variables of a request by name. */
export type RequestVariables = Readonly<Record<string, unknown>>

export interface EvaluationSettings {
  readonly policyVariables: readonly PolicyVariable[]
  /** The total cost that the expressions and the variables that they use may have. */
  readonly budget: number
  readonly options?: EvaluateOptions
  /** Records the duration of an evaluation in seconds. */
  readonly observe?: ((seconds: number) => void) | undefined
}

/**
 * Evaluates expressions of a policy one after the other. A variable of the policy is evaluated when the first expression uses it. Its cost
 * counts once.
 */
export async function evaluateExpressions(
  expressions: readonly (PolicyExpression | undefined)[],
  requestVariables: RequestVariables,
  { policyVariables, budget, options, observe }: EvaluationSettings,
): Promise<ExpressionResults> {
  const lazily = new LazyVariables(policyVariables, options)
  const activation = lazily.addTo(requestVariables)
  const shared = new CostBudget(budget)
  const results: (ExpressionResult | undefined)[] = []
  let began = performance.now()
  for (const expression of expressions) {
    if (expression === undefined) {
      results.push(undefined)
      continue
    }
    const { program, problem, text } = expression
    if (program === undefined) {
      results.push({ value: undefined, error: `compilation error: ${problem}`, seconds: 0 })
      continue
    }
    const evaluating = program.evaluate(activation, options)
    const { value, cost } = evaluating instanceof Promise ? await evaluating : evaluating
    const ended = performance.now()
    const seconds = (ended - began) / 1000
    began = ended
    observe?.(seconds)
    if (!shared.spend(lazily.takeCost()) || !shared.spend(cost)) return { problem: outOfBudget }
    results.push(
      value instanceof CelError
        ? { value: undefined, error: `expression '${text}' resulted in error: ${value.message}`, seconds }
        : { value, error: undefined, seconds },
    )
  }
  return { results, remaining: shared.remaining }
}

/** The variables of a policy during the evaluation of one list of expressions. */
class LazyVariables {
  readonly #variables: readonly PolicyVariable[]
  readonly #options: EvaluateOptions | undefined
  #cost = 0

  constructor(variables: readonly PolicyVariable[], options: EvaluateOptions | undefined) {
    this.#variables = variables
    this.#options = options
  }

  /** Returns the variables of the request together with the variable `variables`. */
  addTo(requestVariables: RequestVariables): RequestVariables {
    const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
    const activation = { ...requestVariables, variables: values }
    for (const variable of this.#variables) values[variable.name] = new Lazy(() => this.#compute(variable, activation))
    return activation
  }

  /** Returns the cost of the variables that were evaluated since the last call. */
  takeCost(): number {
    const cost = this.#cost
    this.#cost = 0
    return cost
  }

  #compute({ name, program, problem }: PolicyVariable, activation: RequestVariables): unknown {
    const finish = ({ value, cost }: Evaluation): Value => {
      this.#cost += cost
      return value instanceof CelError ? new CelError(`composited variable ${quote(name)} fails to evaluate: ${value.message}`) : value
    }
    if (program === undefined) return new CelError(`composited variable ${quote(name)} fails to compile: ${problem}`)
    return maybeThen(program.evaluate(activation, this.#options), finish)
  }
}
