import type { Validation, ValidatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import type { Namespace } from '@keelson/api/core/v1'
import { measureUtf8Bytes, runAfter } from '@keelson/apimachinery'
import type { DeepReadonly, TimeSlice } from '@keelson/apimachinery'
import { trimSpace, getTypeName } from '@keelson/cel'
import type { ExpressionMetrics } from '@keelson/cel'
import type { MatchConditionMetrics } from '../../matching/match-condition-metrics.ts'
import { MatchConditions } from '../../matching/match-conditions.ts'
import { evaluateExpressions } from '../evaluate-expressions.ts'
import type { ExpressionResult, ExpressionResults } from '../evaluate-expressions.ts'
import { PolicyCompiler } from '../policy-compiler.ts'
import type { PolicyExpression, PolicyVariable } from '../policy-compiler.ts'
import type { PolicyInput, PolicyMatch } from '../policy-input.ts'
import type { Param } from '../policy-params.ts'

/** kube-apiserver's cost budget for a policy, a binding and a parameter. The annotations have a budget of their own. */
const costBudget = 10_000_000
/** The most that one expression costs, except if a single step exceeds the limit of an expression. */
const costPerExpression = 1_000_000
const maxMessageBytes = 5 * 1024

/** The result of one validation. */
export type Decision =
  /** `error` is the message of an expression that failed although the policy ignores failures. */
  | { readonly action: 'admit'; readonly error?: string; readonly seconds: number }
  | { readonly action: 'deny'; readonly message: string; readonly reason: string; readonly seconds: number }

/** The result of one audit annotation. */
export type Annotation =
  | { readonly key: string; readonly value: string; readonly error?: undefined }
  /** The expression failed, which refuses the request. */
  | { readonly key: string; readonly error: string; readonly seconds: number }

export interface ValidationResult {
  /** The decisions by the index of the validation. Empty if all validations are true. */
  readonly decisions: readonly Decision[]
  readonly annotations: readonly Annotation[]
}

/** A request to validate by a policy. */
export interface PolicyRequest {
  readonly input: PolicyInput
  readonly match: PolicyMatch
  readonly params: Param
  readonly namespace: DeepReadonly<Namespace> | undefined
}

export interface ValidatingPolicyMetrics {
  readonly expressions: ExpressionMetrics
  readonly matchConditions: MatchConditionMetrics
}

interface CompiledExpressions {
  readonly variables: readonly PolicyVariable[]
  readonly validations: readonly PolicyExpression[]
  /** The message expressions by the index of their validation. */
  readonly messages: readonly (PolicyExpression | undefined)[]
  readonly annotations: readonly PolicyExpression[]
}

/** Compiles a policy. */
export async function compileValidatingPolicy(
  policy: DeepReadonly<ValidatingAdmissionPolicy>,
  metrics: ValidatingPolicyMetrics,
  slice: TimeSlice,
): Promise<ValidatingPolicy> {
  const { paramKind, variables = [], validations = [], auditAnnotations = [] } = policy.spec ?? {}
  const compiler = new PolicyCompiler({ hasParams: paramKind !== undefined, slice, observe: metrics.expressions.recordCompilation })
  await compiler.addVariables(variables)
  const compiled = {
    validations: [] as PolicyExpression[],
    messages: [] as (PolicyExpression | undefined)[],
    annotations: [] as PolicyExpression[],
  }
  for (const { expression, messageExpression = '' } of validations) {
    compiled.validations.push(await compiler.compile(expression, 'condition'))
    compiled.messages.push(
      messageExpression === '' ? undefined : await compiler.compile(messageExpression, 'message', { hasAuthorizer: false }),
    )
  }
  for (const { valueExpression } of auditAnnotations) compiled.annotations.push(await compiler.compile(valueExpression, 'annotation'))
  return new ValidatingPolicy(policy, { variables: compiler.variables, ...compiled }, metrics)
}

/** A compiled policy, which validates requests. */
export class ValidatingPolicy {
  readonly #policy: DeepReadonly<ValidatingAdmissionPolicy>
  readonly #expressions: CompiledExpressions
  readonly #conditions: MatchConditions
  readonly #metrics: ValidatingPolicyMetrics
  readonly #messageCount: number

  constructor(policy: DeepReadonly<ValidatingAdmissionPolicy>, expressions: CompiledExpressions, metrics: ValidatingPolicyMetrics) {
    const { paramKind, matchConditions = [], failurePolicy } = policy.spec ?? {}
    this.#policy = policy
    this.#expressions = expressions
    this.#metrics = metrics
    this.#messageCount = expressions.messages.filter((message) => message !== undefined).length
    this.#conditions = new MatchConditions({
      name: policy.metadata.name ?? '',
      kind: 'policy',
      type: 'validate',
      conditions: matchConditions,
      failurePolicy,
      hasParams: paramKind !== undefined,
      metrics: metrics.matchConditions,
    })
  }

  /** Validates a request. Returns a promise only if an evaluation does. */
  validate(request: PolicyRequest): ValidationResult | Promise<ValidationResult> {
    if ((this.#policy.spec?.matchConditions?.length ?? 0) === 0) return this.#evaluate(request)
    const { input, match, params } = request
    const variables = match.variables({ params, namespace: undefined, hasAuthorizer: true, usesRequestResource: true })
    return runAfter(this.#conditions.match(variables, input.attributes.operation), ({ matches, error }) => {
      if (error !== undefined) return this.#createFailedResult(error)
      return matches ? this.#evaluate(request) : nothing
    })
  }

  #evaluate(request: PolicyRequest): ValidationResult | Promise<ValidationResult> {
    const evaluated = this.#run(this.#expressions.validations, request, { hasAuthorizer: true, budget: costBudget })
    return runAfter(evaluated, (validations) => {
      if (validations.problem !== undefined) return this.#createFailedResult(validations.problem)
      return runAfter(this.#decide(request, validations), (decisions) => this.#annotate(request, decisions))
    })
  }

  /** Evaluates expressions of the policy for a request. */
  #run(
    expressions: readonly (PolicyExpression | undefined)[],
    { input, match, params, namespace }: PolicyRequest,
    { hasAuthorizer, budget }: { readonly hasAuthorizer: boolean; readonly budget: number },
  ): ExpressionResults | Promise<ExpressionResults> {
    return evaluateExpressions(expressions, match.variables({ params, namespace, hasAuthorizer }), {
      policyVariables: this.#expressions.variables,
      budget,
      options: input.evaluation,
      observe: this.#metrics.expressions.recordEvaluation,
    })
  }

  /** Returns the decisions of the validations. Returns none if all of them are true. */
  #decide(
    request: PolicyRequest,
    { results, remaining }: Extract<ExpressionResults, { readonly remaining: number }>,
  ): MaybeLater<readonly Decision[]> {
    const isTrue = results.every((result) => result!.value === true)
    if (!this.#needsMessages(isTrue, remaining)) {
      return isTrue ? noDecisions : results.map((result, i) => this.#createDecision(i, result!, undefined))
    }
    const computed = this.#run(this.#expressions.messages, request, { hasAuthorizer: false, budget: remaining })
    return runAfter(computed, (messages) =>
      results.map((result, i) =>
        messages.problem === undefined
          ? this.#createDecision(i, result!, messages.results[i])
          : this.#createFailure(result!.error ?? `failed messageExpression: ${messages.problem}`, result!.seconds),
      ),
    )
  }

  #annotate(request: PolicyRequest, decisions: readonly Decision[]): ValidationResult | Promise<ValidationResult> {
    const { annotations } = this.#expressions
    if (annotations.length === 0) return decisions.length === 0 ? nothing : { decisions, annotations: [] }
    return runAfter(this.#run(annotations, request, { hasAuthorizer: false, budget: costBudget }), (values) => {
      if (values.problem !== undefined) return this.#createFailedResult(values.problem)
      return { decisions, annotations: values.results.flatMap((value, i) => this.#createAnnotations(i, value!)) }
    })
  }

  /**
   * Returns whether the message expressions must be evaluated: if a message is needed, or if they might exhaust the budget, because then
   * kube-apiserver refuses the request even if all validations are true.
   */
  #needsMessages(isTrue: boolean, remaining: number): boolean {
    if (this.#messageCount === 0) return false
    const maxCost = (this.#messageCount + this.#expressions.variables.length) * costPerExpression
    return maxCost > remaining || !isTrue
  }

  #createDecision(index: number, { value, error, seconds }: ExpressionResult, message: ExpressionResult | undefined): Decision {
    if (error !== undefined) return this.#createFailure(error, seconds)
    if (value === true) return { action: 'admit', seconds }
    const validation = this.#policy.spec!.validations![index]!
    return { action: 'deny', message: selectMessage(validation, message), reason: validation.reason ?? '', seconds }
  }

  /** Decides about an expression that failed. */
  #createFailure(message: string, seconds: number): Decision {
    return this.#ignoresFailures ? { action: 'admit', error: message, seconds } : { action: 'deny', message, reason: '', seconds }
  }

  #createFailedResult(message: string): ValidationResult {
    return { decisions: [this.#createFailure(message, 0)], annotations: [] }
  }

  #createAnnotations(index: number, { value, error, seconds }: ExpressionResult): readonly Annotation[] {
    const { key, valueExpression } = this.#policy.spec!.auditAnnotations![index]!
    if (error !== undefined) return this.#ignoresFailures ? [] : [{ key, error, seconds }]
    if (value === null) return []
    if (typeof value === 'string') {
      const text = trimSpace(value)
      return text === '' ? [] : [{ key, value: text }]
    }
    const type = value === undefined ? 'null_type' : getTypeName(value)
    const problem = `valueExpression '${valueExpression}' resulted in unsupported return type: ${type}. Return type must be either string or null.`
    return [{ key, error: problem, seconds }]
  }

  get #ignoresFailures(): boolean {
    return this.#policy.spec?.failurePolicy === 'Ignore'
  }
}

type MaybeLater<Result> = Result | Promise<Result>

const noDecisions: readonly Decision[] = []
const nothing: ValidationResult = { decisions: noDecisions, annotations: [] }

/** Returns the message of a validation that is false. */
function selectMessage(validation: DeepReadonly<Validation>, computed: ExpressionResult | undefined): string {
  const text = typeof computed?.value === 'string' ? trimSpace(computed.value) : ''
  if (text !== '' && measureUtf8Bytes(text) <= maxMessageBytes && !text.includes('\n')) return text
  const fixed = trimSpace(validation.message ?? '')
  return fixed === '' ? `failed expression: ${trimSpace(validation.expression)}` : fixed
}
