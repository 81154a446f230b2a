import type { MatchResources } from '@keelson/api/admissionregistration/v1'
import { pause, systemClock, TimeSlice } from '@keelson/apimachinery'
import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
import type { Informer } from '@keelson/loopback'
import type { AdmissionAttributes } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { newForbiddenWrite } from '../forbidden.ts'
import { MatchCriteria } from '../matching/match-criteria.ts'
import { MatchIndex } from '../matching/match-index.ts'
import type { Policy, PolicyBinding } from './policy-kinds.ts'

/** A binding of a policy with its compiled criteria. */
export interface BoundPolicy<B extends PolicyBinding> {
  readonly binding: DeepReadonly<B>
  /** Undefined if the binding does not restrict what the policy matches. */
  readonly criteria: MatchCriteria | undefined
}

/** A policy that has bindings, ready to be evaluated. */
export interface PolicyHook<P extends Policy, B extends PolicyBinding, Evaluator> {
  readonly policy: DeepReadonly<P>
  readonly criteria: MatchCriteria
  readonly bindings: readonly BoundPolicy<B>[]
  readonly evaluator: Evaluator
}

export type PolicyHooks<P extends Policy, B extends PolicyBinding, Evaluator> = MatchIndex<PolicyHook<P, B, Evaluator>>

export interface PolicySourceOptions<P extends Policy, Evaluator> {
  readonly dependencies: PluginDependencies
  readonly policies: GroupResource
  readonly bindings: GroupResource
  /** Compiles a policy. It is called once for each generation of a policy that has a binding. Must not reject because of an invalid policy. */
  compile(policy: DeepReadonly<P>, slice: TimeSlice): Promise<Evaluator>
  /** Called for each policy that has a binding, after it changed. */
  prepare?(policy: DeepReadonly<P>): void
}

const syncTimeout = 10_000

/**
 * The policies of one kind that have bindings. They follow the informers of policies and bindings. Each change replaces the complete list:
 * a new policy once it is compiled, which happens at once and in time slices, a removed one with the next request.
 */
export class PolicySource<P extends Policy, B extends PolicyBinding, Evaluator> implements Disposable {
  readonly #options: PolicySourceOptions<P, Evaluator>
  #following: FollowedPolicies<P, B, Evaluator> | undefined

  constructor(options: PolicySourceOptions<P, Evaluator>) {
    this.#options = options
  }

  /**
   * Returns the current policies. Undefined if the server does not serve policies. Returns a promise only until the informers have their
   * initial lists and all policies are compiled. It rejects with a 403 if that takes too long.
   */
  hooks(attributes: AdmissionAttributes): PolicyHooks<P, B, Evaluator> | undefined | Promise<PolicyHooks<P, B, Evaluator>> {
    const { dependencies } = this.#options
    const policies = dependencies.informers.of<P>(this.#options.policies)
    const bindings = dependencies.informers.of<B>(this.#options.bindings)
    if (policies === undefined || bindings === undefined) return undefined
    let following = this.#following
    // The informers are other ones after the group was installed again.
    if (following?.policies !== policies || following.bindings !== bindings) {
      following?.[Symbol.dispose]()
      this.#following = following = new FollowedPolicies(policies, bindings, this.#options)
    }
    return following.isReady ? following.hooks : this.#waitUntilReady(following, attributes)
  }

  [Symbol.dispose](): void {
    this.#following?.[Symbol.dispose]()
    this.#following = undefined
  }

  async #waitUntilReady(
    following: FollowedPolicies<P, B, Evaluator>,
    attributes: AdmissionAttributes,
  ): Promise<PolicyHooks<P, B, Evaluator>> {
    const { clock = systemClock } = this.#options.dependencies
    const timeout = new AbortController()
    const signal = AbortSignal.any([timeout.signal, attributes.context.signal])
    await Promise.race([following.ready, pause(clock, syncTimeout, { signal })])
    timeout.abort()
    if (!following.isReady) throw newForbiddenWrite(attributes, 'not yet ready to handle request')
    return following.hooks
  }
}

/** A compiled policy. */
interface CompiledPolicy<P extends Policy, Evaluator> {
  readonly policy: DeepReadonly<P>
  readonly criteria: MatchCriteria
  readonly evaluator: Evaluator
}

/** Policies and bindings, as two informers report them. */
class FollowedPolicies<P extends Policy, B extends PolicyBinding, Evaluator> implements Disposable {
  readonly policies: Informer<P>
  readonly bindings: Informer<B>
  /** Resolves when the informers have their initial lists and all policies are compiled. */
  readonly ready: Promise<void>
  isReady = false
  readonly #options: PolicySourceOptions<P, Evaluator>
  readonly #unsubscribe: readonly (() => void)[]
  readonly #bindingCriteria = new WeakMap<object, MatchCriteria>()
  /** The compiled policies by name. A policy keeps its earlier state until its new one is compiled. */
  readonly #compiled = new Map<string, CompiledPolicy<P, Evaluator>>()
  #hooks: PolicyHooks<P, B, Evaluator> | undefined
  #isCompiling = false
  /** Whether something changed since the compilation started. */
  #hasChanged = false
  #isDisposed = false

  constructor(policies: Informer<P>, bindings: Informer<B>, options: PolicySourceOptions<P, Evaluator>) {
    this.policies = policies
    this.bindings = bindings
    this.#options = options
    this.ready = this.#start()
    const onChange = (): void => this.#change()
    this.#unsubscribe = [policies.subscribe(onChange), bindings.subscribe(onChange)]
  }

  /** The current list of policies. It is built by the first request after a change. */
  get hooks(): PolicyHooks<P, B, Evaluator> {
    return (this.#hooks ??= this.#buildHooks())
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
  }

  async #start(): Promise<void> {
    await Promise.all([this.policies.synced, this.bindings.synced])
    do await this.#compileAll()
    while (this.#hasChanged && !this.#isDisposed)
    this.isReady = true
  }

  #change(): void {
    this.#hooks = undefined
    this.#hasChanged = true
    if (this.isReady && !this.#isCompiling) void this.#compileAll()
  }

  /** Compiles the policies that have bindings and are new or changed. */
  async #compileAll(): Promise<void> {
    this.#isCompiling = true
    const slice = new TimeSlice()
    do {
      this.#hasChanged = false
      const names = new Set(this.bindings.list().map((binding) => getPolicyName(binding)))
      for (const name of this.#compiled.keys()) if (!names.has(name)) this.#compiled.delete(name)
      for (const name of names) {
        const policy = this.policies.get('', name)
        if (policy === undefined) this.#compiled.delete(name)
        else await this.#compile(name, policy, slice)
        if (this.#isDisposed) return
      }
    } while (this.#hasChanged)
    this.#isCompiling = false
  }

  async #compile(name: string, policy: DeepReadonly<P>, slice: TimeSlice): Promise<void> {
    const known = this.#compiled.get(name)
    if (known?.policy === policy) return
    if (known !== undefined && hasSameSpec(known.policy, policy)) {
      this.#compiled.set(name, { ...known, policy })
      return
    }
    this.#options.prepare?.(policy)
    const evaluator = await this.#options.compile(policy, slice)
    this.#compiled.set(name, { policy, criteria: createCriteria(policy.spec?.matchConstraints), evaluator })
    this.#hooks = undefined
  }

  /** Builds the list of policies and bindings, sorted by name. Leaves out bindings of policies that do not exist or are not compiled yet. */
  #buildHooks(): PolicyHooks<P, B, Evaluator> {
    const bindings = Map.groupBy(this.bindings.list(), getPolicyName)
    const hooks: PolicyHook<P, B, Evaluator>[] = []
    for (const name of Array.from(bindings.keys()).toSorted()) {
      const compiled = this.#compiled.get(name)
      if (compiled === undefined || this.policies.get('', name) === undefined) continue
      hooks.push({
        ...compiled,
        bindings: bindings
          .get(name)!
          .toSorted(compareNames)
          .map((binding) => ({ binding, criteria: this.#findCriteria(binding) })),
      })
    }
    return new MatchIndex(hooks)
  }

  #findCriteria(binding: DeepReadonly<B>): MatchCriteria | undefined {
    const matchResources = binding.spec?.matchResources
    if (matchResources === undefined) return undefined
    let criteria = this.#bindingCriteria.get(matchResources)
    if (criteria === undefined) this.#bindingCriteria.set(matchResources, (criteria = createCriteria(matchResources)))
    return criteria
  }
}

/** Compares two objects by name. */
export function compareNames({ metadata: a }: DeepReadonly<KubeObject>, { metadata: b }: DeepReadonly<KubeObject>): number {
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1
}

function getPolicyName({ spec }: DeepReadonly<PolicyBinding>): string {
  return spec?.policyName ?? ''
}

/** Returns whether two states of a policy have the same spec. A write of the status does not change the generation. */
function hasSameSpec({ metadata: a }: DeepReadonly<Policy>, { metadata: b }: DeepReadonly<Policy>): boolean {
  return a.uid === b.uid && a.generation !== undefined && a.generation === b.generation
}

function createCriteria({ resourceRules = [], ...rest }: DeepReadonly<MatchResources> = {}): MatchCriteria {
  return new MatchCriteria({
    // A policy without rules matches every resource.
    rules: resourceRules.length === 0 ? undefined : resourceRules,
    excludeRules: rest.excludeResourceRules,
    namespaceSelector: rest.namespaceSelector,
    objectSelector: rest.objectSelector,
    matchPolicy: rest.matchPolicy,
  })
}
