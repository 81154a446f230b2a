import { aggregateMessages } from '@keelson/apimachinery'
import { CelError, compileAdmission, outOfBudget, Program } from '@keelson/cel'
import type { Activation, Evaluation } from '@keelson/cel'
import type { AdmissionOperation } from '../admission.ts'
import type { MatchConditionLabels, MatchConditionMetrics } from './match-condition-metrics.ts'

/** kube-apiserver's cost budget for all match conditions of a webhook or policy together. */
const matchConditionBudget = 2_500_000

export interface MatchConditionsOptions extends MatchConditionLabels {
  readonly conditions: readonly { readonly name: string; readonly expression: string }[]
  /** "Ignore" skips the webhook or policy if a condition fails. Default: "Fail", which refuses the write. */
  readonly failurePolicy: string | undefined
  readonly hasParams: boolean
  readonly metrics: MatchConditionMetrics
}

/** The result of match conditions. `error` is kube-apiserver's message if a condition failed and the failure policy is "Fail". */
export type MatchConditionResult =
  | { readonly matches: boolean; readonly error?: undefined }
  | { readonly matches: false; readonly error: string }

interface Condition {
  readonly expression: string
  /** The program, or the message of an expression that does not compile. */
  readonly program: Program | string
}

/** The match conditions of a webhook or policy. They are compiled on first use. */
export class MatchConditions {
  readonly #options: MatchConditionsOptions
  #compiled: readonly Condition[] | undefined

  constructor(options: MatchConditionsOptions) {
    this.#options = options
  }

  /** True if there are no conditions, so that every write matches. */
  get isEmpty(): boolean {
    return this.#options.conditions.length === 0
  }

  /** Returns whether all conditions are true. A false condition decides even if later ones fail. Returns a promise only if an evaluation does. */
  match(activation: Activation, operation: AdmissionOperation, signal?: AbortSignal): MatchConditionResult | Promise<MatchConditionResult> {
    if (this.isEmpty) return { matches: true }
    const began = performance.now()
    return this.#evaluate(0, { activation, operation, signal, began, remaining: matchConditionBudget, errors: [], isFalse: false })
  }

  /** Evaluates the conditions from an index on. All are evaluated even after a false one, because a later one can exceed the budget. */
  #evaluate(start: number, state: State): MatchConditionResult | Promise<MatchConditionResult> {
    const conditions = this.#conditions
    for (let i = start; i < conditions.length; i++) {
      const { expression, program } = conditions[i]!
      if (typeof program === 'string') {
        addError(state, `compilation error: ${program}`)
        continue
      }
      const evaluation = program.evaluate(state.activation, state.signal && { signal: state.signal })
      if (evaluation instanceof Promise) {
        return evaluation.then((result) =>
          take(state, expression, result) ? this.#evaluate(i + 1, state) : this.#finish(state, outOfBudget),
        )
      }
      if (!take(state, expression, evaluation)) return this.#finish(state, outOfBudget)
    }
    const { errors, operation } = state
    for (let i = 0; i < errors.length; i++) this.#options.metrics.countFailure(this.#options, operation)
    if (!state.isFalse && errors.length === 0) return { matches: true }
    return this.#finish(state, state.isFalse ? undefined : aggregateMessages(errors))
  }

  /** Returns the result if not all conditions are true. */
  #finish({ operation, began }: State, error: string | undefined): MatchConditionResult {
    const { failurePolicy, metrics } = this.#options
    metrics.recordEvaluation(this.#options, operation, (performance.now() - began) / 1000)
    if (error !== undefined && failurePolicy !== 'Ignore') return { matches: false, error }
    // As in kube-apiserver, policies that do not match are not counted.
    if (this.#options.kind === 'webhook') metrics.countExclusion(this.#options, operation)
    return { matches: false }
  }

  get #conditions(): readonly Condition[] {
    const { conditions, hasParams } = this.#options
    return (this.#compiled ??= conditions.map(({ expression }) => {
      const { compiled, problem } = compileAdmission(expression, 'condition', { hasParams, hasAuthorizer: true })
      return { expression, program: compiled === undefined ? problem : new Program(compiled) }
    }))
  }
}

/** The state of one evaluation of all conditions. */
interface State {
  readonly activation: Activation
  readonly operation: AdmissionOperation
  readonly signal: AbortSignal | undefined
  readonly began: number
  remaining: number
  /** Errors of the conditions before the first false one. */
  readonly errors: string[]
  isFalse: boolean
}

/** Takes over a result. Returns false if it exceeds the budget. */
function take(state: State, expression: string, { value, cost }: Evaluation): boolean {
  if (cost > state.remaining) return false
  state.remaining -= cost
  if (value instanceof CelError) addError(state, `expression '${expression}' resulted in error: ${value.message}`)
  else if (value === false) state.isFalse = true
  return true
}

function addError(state: State, message: string): void {
  if (!state.isFalse) state.errors.push(message)
}
