import type { Namespace } from '@keelson/api/core/v1'
import { aggregateFieldErrors, runAfter, newForbidden, newInternal, quote } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { findObject } from '../find-object.ts'
import type { CheckedPod } from './check.ts'
import { checkNamespace } from './check-namespace.ts'
import { readPodSecurityConfiguration } from './configuration.ts'
import type { PodSecurityConfiguration } from './configuration.ts'
import { evaluatePod, formatViolationDetails, isSignificantUpdate } from './evaluate-pod.ts'
import { createPodSecurityMetrics } from './pod-security-metrics.ts'
import type { PodSecurityMetrics } from './pod-security-metrics.ts'
import { extractPod, findPodTemplate, resourcesWithTemplate } from './check.ts'
import { isFullyPrivileged, labelPrefix, formatLevelVersion, parsePolicy } from './policy.ts'
import type { LevelVersion, Mode, Policy } from './policy.ts'

const namespaces = { group: '', resource: 'namespaces' }
/** Subresources of pods that cannot change checked fields. Unknown subresources are evaluated. */
const uncheckedSubresources: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
])

/**
 * Creates the plugin PodSecurity. It enforces the Pod Security Standards that the labels of a namespace select. Pod templates of
 * controllers cause only warnings.
 */
export function createPodSecurityPlugin(dependencies: PluginDependencies, configuration?: unknown): AdmissionPlugin {
  return new PodSecurity(dependencies, readPodSecurityConfiguration(configuration))
}

interface KnownPolicy {
  readonly policy: Policy
  readonly error: string
}

class PodSecurity implements AdmissionPlugin {
  readonly name = 'PodSecurity'
  readonly operations = ['CREATE', 'UPDATE'] as const
  readonly resources = ['namespaces', 'pods', 'pods/*', ...resourcesWithTemplate]
  readonly #dependencies: PluginDependencies
  readonly #configuration: PodSecurityConfiguration
  readonly #metrics: PodSecurityMetrics
  /** Cached policies by namespace object. The informer creates a new object for each version of a namespace. */
  readonly #policies = new WeakMap<DeepReadonly<Namespace>, KnownPolicy>()

  constructor(dependencies: PluginDependencies, configuration: PodSecurityConfiguration) {
    this.#dependencies = dependencies
    this.#configuration = configuration
    this.#metrics = createPodSecurityMetrics(dependencies.metrics ?? createMetricsRegistry())
  }

  validate(attributes: AdmissionAttributes): Promise<void> | void {
    const { resource, subresource } = attributes
    if (resource.resource === 'namespaces') return checkNamespace(this.#dependencies, this.#configuration, attributes)
    const isPod = resource.resource === 'pods'
    if (uncheckedSubresources.has(subresource) || this.#isExempt(attributes)) return
    return runAfter(this.#policyFor(attributes, isPod), (knownPolicy) => {
      if (knownPolicy === undefined) return
      if (isPod) this.#checkPod(attributes, knownPolicy)
      else this.#checkController(attributes, knownPolicy)
    })
  }

  #isExempt(attributes: AdmissionAttributes): boolean {
    const { namespaces: exempt, usernames } = this.#configuration.exemptions
    const by = exempt.has(attributes.namespace) ? 'namespace' : usernames.has(attributes.context.user.name) ? 'user' : ''
    if (by === '') return false
    attributes.annotate(`${labelPrefix}exempt`, by)
    this.#metrics.countExemption(attributes)
    return true
  }

  /**
   * Returns the policy of a namespace. If the namespace cannot be read, rejects pods but admits pod templates, because their pods will be
   * rejected.
   */
  #policyFor(attributes: AdmissionAttributes, isPod: boolean): KnownPolicy | undefined | Promise<KnownPolicy | undefined> {
    const { namespace: name } = attributes
    const { client } = this.#dependencies
    if (client.resource(namespaces) === undefined) return this.#findPolicy(undefined)
    const unreadable = `failed to lookup namespace ${quote(name)}`
    const fail = (): undefined => {
      this.#metrics.countFailure(attributes, true)
      if (isPod) throw newInternal(unreadable)
      attributes.annotate(`${labelPrefix}error`, unreadable)
      return undefined
    }
    const found = findObject<Namespace>(this.#dependencies, namespaces, { name })
    if (!(found instanceof Promise)) return this.#findPolicy(found)
    return found.then((namespace) => (namespace === undefined ? fail() : this.#findPolicy(namespace)), fail)
  }

  #findPolicy(namespace: DeepReadonly<Namespace> | undefined): KnownPolicy {
    const knownPolicy = namespace && this.#policies.get(namespace)
    if (knownPolicy !== undefined) return knownPolicy
    const { policy, errors } = parsePolicy(namespace?.metadata.labels, this.#configuration.defaults)
    const result = { policy, error: errors.length === 0 ? '' : `Failed to parse policy: ${aggregateFieldErrors(errors)}` }
    if (namespace !== undefined) this.#policies.set(namespace, result)
    return result
  }

  #checkPod(attributes: AdmissionAttributes, knownPolicy: KnownPolicy): void {
    if (knownPolicy.error === '' && isFullyPrivileged(knownPolicy.policy)) {
      attributes.annotate(`${labelPrefix}enforce-policy`, 'privileged:latest')
      this.#metrics.countEvaluation(attributes, true, knownPolicy.policy.enforce, 'enforce')
      return
    }
    const pod = extractPod(attributes.object!)
    if (
      attributes.operation === 'UPDATE' &&
      attributes.oldObject !== undefined &&
      !isSignificantUpdate(pod, extractPod(attributes.oldObject))
    )
      return
    this.#check(attributes, knownPolicy, pod, true)
  }

  #checkController(attributes: AdmissionAttributes, knownPolicy: KnownPolicy): void {
    const { warn, audit } = knownPolicy.policy
    if (knownPolicy.error === '' && warn.level === 'privileged' && audit.level === 'privileged') return
    const pod = findPodTemplate(attributes.resource, attributes.object!)
    if (pod !== undefined) this.#check(attributes, knownPolicy, pod, false)
  }

  #check(attributes: AdmissionAttributes, { policy, error }: KnownPolicy, pod: CheckedPod, enforces: boolean): void {
    const { context, resource, name } = attributes
    if (this.#configuration.exemptions.runtimeClasses.has(pod.spec.runtimeClassName ?? '')) {
      attributes.annotate(`${labelPrefix}exempt`, 'runtimeClass')
      this.#metrics.countExemption(attributes)
      return
    }
    const complaint = evaluateModes(pod, policy)
    if (error !== '') {
      attributes.annotate(`${labelPrefix}error`, error)
      this.#metrics.countFailure(attributes, false)
    }
    const audited = complaint('audit')
    if (audited !== undefined) {
      attributes.annotate(`${labelPrefix}audit-violations`, `would violate PodSecurity ${audited}`)
      this.#metrics.countEvaluation(attributes, false, policy.audit, 'audit')
    }
    let refused: string | undefined
    if (enforces) {
      attributes.annotate(`${labelPrefix}enforce-policy`, formatLevelVersion(policy.enforce))
      refused = complaint('enforce')
      this.#metrics.countEvaluation(attributes, refused === undefined, policy.enforce, 'enforce')
    }
    if (refused !== undefined)
      throw newForbidden({ group: resource.group, resource: resource.resource }, name, `violates PodSecurity ${refused}`)
    const warning = complaint('warn')
    if (warning === undefined) return
    context.warn(`would violate PodSecurity ${warning}`)
    this.#metrics.countEvaluation(attributes, false, policy.warn, 'warn')
  }
}

/**
 * Returns a function that formats the violations of a mode as `"restricted:latest": …`. It returns undefined if there are none. Modes with
 * the same level share one evaluation.
 */
function evaluateModes(pod: CheckedPod, policy: Policy): (mode: Mode) => string | undefined {
  const known = new Map<string, string | undefined>()
  return (mode) => {
    const level: LevelVersion = policy[mode]
    const text = formatLevelVersion(level)
    if (!known.has(text)) {
      const violations = evaluatePod(level, pod)
      known.set(text, violations.length === 0 ? undefined : `${quote(text)}: ${formatViolationDetails(violations)}`)
    }
    return known.get(text)
  }
}
