import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@keelson/api/admissionregistration/v1'
import { runAfter, getErrorMessage, TimeSlice } from '@keelson/apimachinery'
import type { ApiError, DeepReadonly } from '@keelson/apimachinery'
import type { Authorizer } from '@keelson/auth'
import type { AdmissionAttributes } from '../../admission.ts'
import { newForbiddenWrite } from '../../forbidden.ts'
import type { Matcher } from '../../matching/create-matcher.ts'
import type { MatchedResource } from '../../matching/match-criteria.ts'
import { createCachingAuthorizer } from '../caching-authorizer.ts'
import { runInOrder } from '../in-order.ts'
import { PolicyInput } from '../policy-input.ts'
import type { PolicyMatch } from '../policy-input.ts'
import type { PolicyMetrics } from '../policy-metrics.ts'
import type { Param, PolicyParams } from '../policy-params.ts'
import type { BoundPolicy, PolicyHook } from '../policy-source.ts'
import { findRequestNamespace } from '../request-namespace.ts'
import type { RequestNamespace } from '../request-namespace.ts'
import { AnnotationCollector, publishFailure } from './audit-annotations.ts'
import type { Decision, ValidatingPolicy, ValidationResult } from './validating-policy.ts'

type Policy = ValidatingAdmissionPolicy
type Binding = ValidatingAdmissionPolicyBinding
/** A policy to evaluate, with its bindings. */
export type ValidatingPolicyHook = PolicyHook<Policy, Binding, ValidatingPolicy>
type Hook = ValidatingPolicyHook

/** Services of the plugin. */
export interface PolicyServices {
  readonly authorizer: Authorizer
  readonly matcher: Matcher
  readonly params: PolicyParams
  readonly metrics: PolicyMetrics
}

/** A policy with one of its bindings, or without. */
interface BoundHook {
  readonly hook: Hook
  readonly binding: DeepReadonly<Binding> | undefined
}

/** A reason to refuse the request. */
interface Denial {
  readonly policy: string
  /** Undefined if the policy itself is the reason. */
  readonly binding: string | undefined
  readonly message: string
  readonly reason: string
}

/** Validates a request by all policies that may match it. Rejects with the answer if one of them denies it. */
export async function validateByPolicies(
  hooks: readonly ValidatingPolicyHook[],
  attributes: AdmissionAttributes,
  services: PolicyServices,
): Promise<void> {
  const input = new PolicyInput(attributes, createCachingAuthorizer(services.authorizer))
  await new PolicyRun(services, input).run(hooks)
}

/** The validation of one request. */
class PolicyRun {
  readonly #services: PolicyServices
  readonly #input: PolicyInput
  /** The first denial, which is the answer. */
  #denial: Denial | undefined
  #namespace: RequestNamespace | Promise<RequestNamespace>

  constructor(services: PolicyServices, input: PolicyInput) {
    this.#services = services
    this.#input = input
  }

  /** Evaluates all policies, because each can warn and annotate. Throws if one of them denies the request. */
  async run(hooks: readonly Hook[]): Promise<void> {
    const slice = new TimeSlice()
    for (const hook of hooks) {
      const pending = this.#runPolicy(hook)
      if (pending !== undefined) await pending
      const pause = slice.pauseIfOver()
      if (pause !== undefined) await pause
    }
    if (this.#denial !== undefined) throw toError(this.#input.attributes, this.#denial)
  }

  #runPolicy(hook: Hook): Promise<void> | void {
    const { matcher, params } = this.#services
    const { paramKind } = hook.policy.spec ?? {}
    return this.#configure(
      { hook, binding: undefined },
      () => matcher.match(this.#input.attributes, hook.criteria),
      (matched) => {
        if (matched === undefined) return
        const found = paramKind && params.getResource(paramKind)
        if (found !== undefined && 'problem' in found) return this.#handleMisconfiguration({ hook, binding: undefined }, found.problem)
        return this.#runBindings(hook, matched)
      },
    )
  }

  #runBindings(hook: Hook, matched: MatchedResource): Promise<void> | void {
    const { policy, bindings } = hook
    if ((policy.spec?.auditAnnotations?.length ?? 0) === 0) return runInOrder(bindings, (bound) => this.#runBinding(hook, bound, matched))
    const annotations = new AnnotationCollector()
    const running = runInOrder(bindings, (bound) => this.#runBinding(hook, bound, matched, annotations))
    return runAfter(running, () => annotations.publish(getName(policy), this.#input.attributes))
  }

  #runBinding(
    hook: Hook,
    { binding, criteria }: BoundPolicy<Binding>,
    matched: MatchedResource,
    annotations?: AnnotationCollector,
  ): Promise<void> | void {
    const { matcher, params } = this.#services
    const { attributes } = this.#input
    const subject = { hook, binding }
    const collect = (): void | Promise<void> =>
      this.#configure(
        subject,
        () => params.collect(hook.policy.spec?.paramKind, binding.spec?.paramRef, attributes.namespace),
        (found) => (found.length === 0 ? undefined : this.#validate(subject, found, matched, annotations)),
      )
    if (criteria === undefined) return collect()
    return this.#configure(
      subject,
      () => matcher.match(attributes, criteria),
      (isMatch) => (isMatch === undefined ? undefined : collect()),
    )
  }

  /** Validates the request with each of the parameters. */
  #validate(
    { hook, binding }: BoundHook,
    params: readonly Param[],
    matched: MatchedResource,
    annotations: AnnotationCollector | undefined,
  ): Promise<void> | void {
    return this.#configure(
      { hook, binding },
      () => this.#findMatch(matched),
      (match) =>
        runAfter(this.#findNamespace(), (namespace) =>
          runInOrder(params, (param) =>
            runAfter(hook.evaluator.validate({ input: this.#input, match, params: param, namespace }), (result) =>
              this.#apply(hook, binding!, result, annotations),
            ),
          ),
        ),
    )
  }

  /** Computes what the evaluation of a policy or binding needs. If that fails, the failure policy applies. */
  #configure<Result>(
    subject: BoundHook,
    compute: () => Result | Promise<Result>,
    next: (result: Result) => Promise<void> | void,
  ): Promise<void> | void {
    let result: Result | Promise<Result>
    try {
      result = compute()
    } catch (error) {
      return this.#handleMisconfiguration(subject, getErrorMessage(error))
    }
    return result instanceof Promise
      ? result.then(next, (error: unknown) => this.#handleMisconfiguration(subject, getErrorMessage(error)))
      : next(result)
  }

  #findMatch(matched: MatchedResource): PolicyMatch | Promise<PolicyMatch> {
    const fail = (error: unknown): never => {
      throw new Error(`failed to convert object version: ${getErrorMessage(error)}`, { cause: error })
    }
    try {
      const match = this.#input.in(matched)
      return match instanceof Promise ? match.catch(fail) : match
    } catch (error) {
      return fail(error)
    }
  }

  #findNamespace(): RequestNamespace | Promise<RequestNamespace> {
    return (this.#namespace ??= findRequestNamespace(this.#services.matcher, this.#input.attributes))
  }

  /** Applies the actions of a binding to the decisions of a policy. */
  #apply(
    hook: Hook,
    binding: DeepReadonly<Binding>,
    { decisions, annotations: values }: ValidationResult,
    annotations: AnnotationCollector | undefined,
  ): void {
    const { metrics } = this.#services
    const names = { policy: getName(hook.policy), binding: getName(binding) }
    for (const [index, decision] of decisions.entries()) {
      if (decision.action === 'deny') this.#enforce(binding, index, decision)
      else if (decision.error !== undefined) metrics.observe('allow', { ...names, message: decision.error, seconds: decision.seconds })
    }
    for (const annotation of values) {
      if (annotation.error === undefined) annotations?.add(annotation.key, annotation.value)
      else {
        this.#deny({ ...names, message: annotation.error, reason: '' })
        metrics.observe('deny', { ...names, message: annotation.error, seconds: annotation.seconds })
      }
    }
  }

  #enforce(binding: DeepReadonly<Binding>, index: number, { message, reason, seconds }: Decision & { readonly action: 'deny' }): void {
    const { metrics } = this.#services
    const { attributes } = this.#input
    const names = { policy: binding.spec?.policyName ?? '', binding: getName(binding) }
    const check = { ...names, message, seconds }
    for (const action of binding.spec?.validationActions ?? []) {
      if (action === 'Deny') {
        this.#deny({ ...names, message, reason })
        metrics.observe('deny', check)
      } else if (action === 'Audit') {
        publishFailure(attributes, binding, index, message)
        metrics.observe('audit', check)
      } else if (action === 'Warn') {
        attributes.context.warn(
          `Validation failed for ValidatingAdmissionPolicy '${names.policy}' with binding '${names.binding}': ${message}`,
        )
        metrics.observe('warn', check)
      }
    }
  }

  /** Applies the failure policy to a policy or binding that cannot be evaluated. */
  #handleMisconfiguration({ hook: { policy }, binding }: BoundHook, problem: string): void {
    const { failurePolicy = 'Fail' } = policy.spec ?? {}
    if (failurePolicy === 'Ignore') return
    const what = binding === undefined ? 'policy' : 'binding'
    const message = failurePolicy === 'Fail' ? `failed to configure ${what}: ${problem}` : `unrecognized failure policy: '${failurePolicy}'`
    this.#deny({ policy: getName(policy), binding: binding && getName(binding), message, reason: '' })
  }

  #deny(denial: Denial): void {
    this.#denial ??= denial
  }
}

const reasonCodes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 }

function toError(attributes: AdmissionAttributes, { policy, binding, message, reason }: Denial): ApiError {
  const by = binding === undefined ? '' : ` with binding '${binding}'`
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`
  const error = newForbiddenWrite(attributes, text, [{ message: text }])
  error.status.reason = reason === '' ? 'Invalid' : reason
  error.status.code = reasonCodes[reason] ?? 422
  return error
}

function getName({ metadata }: DeepReadonly<Policy | Binding>): string {
  return metadata.name ?? ''
}
