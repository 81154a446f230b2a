import { runAfter, quote } from '@keelson/apimachinery'
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
 * counts once. Returns a promise only if an evaluation does.
 */
export function evaluateExpressions(
  expressions: readonly (PolicyExpression | undefined)[],
  requestVariables: RequestVariables,
  settings: EvaluationSettings,
): ExpressionResults | Promise<ExpressionResults> {
  return new ExpressionRun(expressions, requestVariables, settings).continue()
}

/**
 * Consecutive expressions that cost less than this are timed together, because reading the clock takes as long as evaluating one of them.
 * Each takes less than a millisecond, so the mean falls into the same bucket of the histogram.
 */
const shortCost = 1000

/** The result of an expression that is true. Its duration is not used. */
const trueResult: ExpressionResult = { value: true, error: undefined, seconds: 0 }

class ExpressionRun {
  readonly #expressions: readonly (PolicyExpression | undefined)[]
  readonly #activation: RequestVariables
  readonly #settings: EvaluationSettings
  readonly #budget: CostBudget
  readonly #results: (ExpressionResult | undefined)[] = []
  /** The cost of the policy's variables that were evaluated since the last expression. */
  #variableCost = 0
  /** The last reading of the clock, and the number of expressions that were evaluated since then. */
  #began = performance.now()
  #untimed = 0

  constructor(expressions: readonly (PolicyExpression | undefined)[], requestVariables: RequestVariables, settings: EvaluationSettings) {
    this.#expressions = expressions
    this.#settings = settings
    this.#budget = new CostBudget(settings.budget)
    this.#activation = settings.policyVariables.length === 0 ? requestVariables : this.#withPolicyVariables(requestVariables)
  }

  /** Evaluates the expressions that have no result yet. */
  continue(): ExpressionResults | Promise<ExpressionResults> {
    const results = this.#results
    while (results.length < this.#expressions.length) {
      const expression = this.#expressions[results.length]
      if (expression === undefined) results.push(undefined)
      else if (expression.program === undefined) {
        results.push({ value: undefined, error: `compilation error: ${expression.problem}`, seconds: 0 })
      } else {
        const evaluating = expression.program.evaluate(this.#activation, this.#settings.options)
        if (evaluating instanceof Promise) return evaluating.then((evaluation) => this.#take(expression, evaluation) ?? this.continue())
        const end = this.#take(expression, evaluating)
        if (end !== undefined) return end
      }
    }
    if (this.#untimed > 0) this.#readClock()
    return { results, remaining: this.#budget.remaining }
  }

  /** Adds the result of an expression. Returns the end result if the budget is exhausted. */
  #take({ text }: PolicyExpression, { value, cost }: Evaluation): ExpressionResults | undefined {
    const variableCost = this.#variableCost
    this.#variableCost = 0
    this.#untimed++
    const isShort = value === true && cost + variableCost < shortCost
    const seconds = isShort ? 0 : this.#readClock()
    if ((variableCost > 0 && !this.#budget.spend(variableCost)) || !this.#budget.spend(cost)) {
      if (this.#untimed > 0) this.#readClock()
      return { problem: outOfBudget }
    }
    if (value === true) this.#results.push(trueResult)
    else if (value instanceof CelError) {
      this.#results.push({ value: undefined, error: `expression '${text}' resulted in error: ${value.message}`, seconds })
    } else this.#results.push({ value, error: undefined, seconds })
    return undefined
  }

  /** Records the durations of the expressions since the last reading. Returns the duration of each of them. */
  #readClock(): number {
    const ended = performance.now()
    const seconds = (ended - this.#began) / 1000 / this.#untimed
    for (; this.#untimed > 0; this.#untimed--) this.#settings.observe?.(seconds)
    this.#began = ended
    return seconds
  }

  /** Returns the variables of the request, in which the variable `variables` has the variables of the policy. */
  #withPolicyVariables(requestVariables: RequestVariables): RequestVariables {
    const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
    const activation = { ...requestVariables, variables: values }
    for (const variable of this.#settings.policyVariables) values[variable.name] = new Lazy(() => this.#compute(variable, activation))
    return activation
  }

  #compute({ name, program, problem }: PolicyVariable, activation: RequestVariables): unknown {
    if (program === undefined) return new CelError(`composited variable ${quote(name)} fails to compile: ${problem}`)
    return runAfter(program.evaluate(activation, this.#settings.options), ({ value, cost }: Evaluation): Value => {
      this.#variableCost += cost
      return value instanceof CelError ? new CelError(`composited variable ${quote(name)} fails to evaluate: ${value.message}`) : value
    })
  }
}
