import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from '@keelson/api/admissionregistration/v1'
import { ApiError, isApiError, getErrorMessage, quote, TimeSlice } from '@keelson/apimachinery'
import type { DeepReadonly, Reason } from '@keelson/apimachinery'
import type { Authorizer } from '@keelson/auth'
import type { AdmissionAttributes } from '../../admission.ts'
import { newForbiddenWrite } from '../../forbidden.ts'
import type { Matcher } from '../../matching/create-matcher.ts'
import type { MatchedResource } from '../../matching/match-criteria.ts'
import { SecondCalls } from '../../second-calls.ts'
import { createCachingAuthorizer } from '../caching-authorizer.ts'
import { PolicyInput } from '../policy-input.ts'
import type { PolicyMetrics } from '../policy-metrics.ts'
import type { Param, PolicyParams } from '../policy-params.ts'
import type { PolicyHook } from '../policy-source.ts'
import { findRequestNamespace } from '../request-namespace.ts'
import { mutateObject } from './mutate-object.ts'
import type { MutationRequest } from './mutate-object.ts'
import type { MutatingPolicy } from './mutating-policy.ts'

type Policy = MutatingAdmissionPolicy
type Binding = MutatingAdmissionPolicyBinding
/** A policy to evaluate, with its bindings. */
export type MutatingPolicyHook = PolicyHook<Policy, Binding, MutatingPolicy>

/** Services of the plugin. */
export interface MutatingPolicyServices {
  readonly authorizer: Authorizer
  readonly matcher: Matcher
  readonly params: PolicyParams
  readonly metrics: PolicyMetrics
}

/** A policy that matches a request, for one binding and one parameter. */
interface Invocation {
  readonly hook: MutatingPolicyHook
  readonly binding: DeepReadonly<Binding>
  readonly matched: MatchedResource
  readonly params: Param
}

/** A policy that failed. */
interface Failure {
  readonly policy: DeepReadonly<Policy>
  /** Undefined if the policy itself is the reason. */
  readonly binding?: DeepReadonly<Binding> | undefined
  readonly message: string
  readonly reason: Reason
}

/** Changes the object of a request by all policies that match it. Rejects with the answer if one of them fails. */
export async function mutateByPolicies(
  hooks: readonly MutatingPolicyHook[],
  attributes: AdmissionAttributes,
  services: MutatingPolicyServices,
): Promise<void> {
  await new PolicyRun(services, new PolicyInput(attributes, createCachingAuthorizer(services.authorizer))).run(hooks)
}

/** The run of all policies for one request. */
class PolicyRun {
  readonly #services: MutatingPolicyServices
  readonly #input: PolicyInput
  readonly #attributes: AdmissionAttributes
  readonly #slice = new TimeSlice()
  /** The failures that refuse the request. */
  readonly #failures: Failure[] = []

  constructor(services: MutatingPolicyServices, input: PolicyInput) {
    this.#services = services
    this.#input = input
    this.#attributes = input.attributes
  }

  async run(hooks: readonly MutatingPolicyHook[]): Promise<void> {
    const invocations: Invocation[] = []
    // The policies that match are those that match the object before all changes.
    for (const hook of hooks) await this.#collect(hook, invocations)
    if (invocations.length > 0) await this.#invokeAll(invocations)
    if (this.#failures.length > 0) throw toError(this.#attributes, this.#failures)
  }

  async #collect(hook: MutatingPolicyHook, invocations: Invocation[]): Promise<void> {
    const { matcher, params } = this.#services
    const { policy } = hook
    const attributes = this.#attributes
    const paramKind = policy.spec?.paramKind
    let matched: MatchedResource | undefined
    try {
      matched = await matcher.match(attributes, hook.criteria)
      if (matched === undefined) return
      const found = paramKind && params.getResource(paramKind)
      if (found !== undefined && 'problem' in found) throw new Error(found.problem)
    } catch (error) {
      return this.#fail({ policy, message: `failed to configure policy: ${getErrorMessage(error)}`, reason: 'Forbidden' })
    }
    for (const { binding, criteria } of hook.bindings) {
      try {
        if (criteria !== undefined && (await matcher.match(attributes, criteria)) === undefined) continue
        if (!(await this.#canConvert(policy, matched))) continue
        for (const param of await params.collect(paramKind, binding.spec?.paramRef, attributes.namespace)) {
          invocations.push({ hook, binding, matched, params: param })
        }
      } catch (error) {
        this.#fail({ policy, binding, message: `failed to configure binding: ${getErrorMessage(error)}`, reason: 'Forbidden' })
      }
    }
  }

  async #canConvert(policy: DeepReadonly<Policy>, matched: MatchedResource): Promise<boolean> {
    try {
      await this.#input.in(matched)
      return true
    } catch (error) {
      this.#fail({ policy, message: `failed to configure policy: ${getErrorMessage(error)}`, reason: 'Forbidden' })
      return false
    }
  }

  async #invokeAll(invocations: readonly Invocation[]): Promise<void> {
    const attributes = this.#attributes
    const namespace = await findRequestNamespace(this.#services.matcher, attributes)
    const secondCalls = SecondCalls.of(attributes, 'MutatingAdmissionPolicy')
    secondCalls.begin(attributes)
    let hasMutated = false
    try {
      for (const invocation of invocations) {
        const { hook, binding, matched, params } = invocation
        if (!(await this.#matchesConditions(invocation))) continue
        const id = formatInvocationId(invocation)
        if (secondCalls.skips(id, attributes)) continue
        if (await this.#mutate(hook, binding, { input: this.#input, matched, params, namespace })) hasMutated = true
        if (hook.policy.spec?.reinvocationPolicy === 'IfNeeded') secondCalls.add(id)
      }
      if (hasMutated) {
        secondCalls.require()
        attributes.reinvocation.request()
      }
    } finally {
      secondCalls.end(attributes)
    }
  }

  async #matchesConditions({ hook: { policy, evaluator }, binding, matched, params }: Invocation): Promise<boolean> {
    if (evaluator.conditions.isEmpty) return true
    const match = await this.#input.in(matched)
    const variables = match.variables({ params, namespace: undefined, hasAuthorizer: true, usesRequestResource: true })
    const { matches, error } = await evaluator.conditions.match(variables, this.#attributes.operation)
    if (error !== undefined) this.#fail({ policy, binding, message: error, reason: 'Invalid' })
    return matches
  }

  /** Applies the mutations of a policy. Returns whether at least one succeeded. */
  async #mutate({ policy, evaluator }: MutatingPolicyHook, binding: DeepReadonly<Binding>, request: MutationRequest): Promise<boolean> {
    const { metrics } = this.#services
    const names = { policy: getName(policy), binding: getName(binding) }
    let hasMutated = false
    if (this.#attributes.object === undefined) return false
    for (const mutation of evaluator.mutations) {
      const began = performance.now()
      let message: string | undefined
      try {
        await mutateObject(evaluator, mutation, request)
        hasMutated = true
      } catch (error) {
        this.#attributes.context.signal.throwIfAborted()
        message = getErrorMessage(error)
        if (isApiError(error)) throw error
        this.#fail({ policy, binding, message, reason: 'Invalid' })
      } finally {
        metrics.observe(message === undefined ? 'allow' : 'deny', { ...names, message, seconds: (performance.now() - began) / 1000 })
      }
      const pause = this.#slice.pauseIfOver()
      if (pause) await pause
    }
    return hasMutated
  }

  /** Applies the failure policy to a failure. */
  #fail(failure: Failure): void {
    if (failure.policy.spec?.failurePolicy !== 'Ignore') this.#failures.push(failure)
  }
}

function formatInvocationId({ hook, binding, params }: Invocation): string {
  const { namespace, name } = (params as Param & Partial<Policy>)?.metadata ?? {}
  return JSON.stringify([getName(hook.policy), getName(binding), namespace, name])
}

/** Creates the answer: the first failure, with all of them as causes. */
function toError(attributes: AdmissionAttributes, failures: readonly Failure[]): ApiError {
  const causes = failures.map((failure) => ({ message: formatFailure(failure) }))
  const { details } = newForbiddenWrite(attributes, '', causes).status
  return new ApiError({ reason: failures[0]!.reason, code: 403, message: causes[0]!.message, ...(details && { details }) })
}

function formatFailure({ policy, binding, message }: Failure): string {
  if (binding === undefined) return `policy ${quote(getName(policy))} denied request: ${message}`
  return `policy '${getName(policy)}' with binding '${getName(binding)}' denied request: ${message}`
}

function getName({ metadata }: DeepReadonly<Policy | Binding>): string {
  return metadata.name ?? ''
}
