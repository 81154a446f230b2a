import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@keelson/api/admissionregistration/v1'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { getExpressionMetrics } from '@keelson/cel'
import type { AdmissionAttributes, AdmissionPlugin } from '../../admission.ts'
import type { PluginDependencies } from '../../admission-plugins.ts'
import { createMatcher } from '../../matching/create-matcher.ts'
import { getMatchConditionMetrics } from '../../matching/match-condition-metrics.ts'
import { isExemptFromPolicies } from '../exempt-resources.ts'
import { HookSelection } from '../hook-selection.ts'
import { createPolicyMetrics } from '../policy-metrics.ts'
import { PolicyParams } from '../policy-params.ts'
import { PolicySource } from '../policy-source.ts'
import type { PolicyServices, validateByPolicies, ValidatingPolicyHook } from './policy-run.ts'
import type { ValidatingPolicy } from './validating-policy.ts'

const group = 'admissionregistration.k8s.io'

/** Creates the plugin ValidatingAdmissionPolicy. It refuses writes that do not satisfy the expressions of policies. */
export function createValidatingAdmissionPolicyPlugin(dependencies: PluginDependencies): AdmissionPlugin & AsyncDisposable {
  const { authorizer, metrics: registry = createMetricsRegistry() } = dependencies
  const params = new PolicyParams(dependencies, { hasBuiltinKinds: true })
  const metrics = { expressions: getExpressionMetrics(registry), matchConditions: getMatchConditionMetrics(registry) }
  // The code that evaluates policies is loaded with the first one, because most servers have none.
  let validate: typeof validateByPolicies | undefined
  const source = new PolicySource<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, ValidatingPolicy>({
    dependencies,
    policies: { group, resource: 'validatingadmissionpolicies' },
    bindings: { group, resource: 'validatingadmissionpolicybindings' },
    async compile(policy, slice) {
      const [run, { compileValidatingPolicy }] = await Promise.all([import('./policy-run.ts'), import('./validating-policy.ts')])
      validate = run.validateByPolicies
      return compileValidatingPolicy(policy, metrics, slice)
    },
    prepare: (policy) => params.prepare(policy.spec?.paramKind),
  })
  const services: PolicyServices = {
    authorizer,
    matcher: createMatcher(dependencies),
    params,
    metrics: createPolicyMetrics('validating', registry),
  }
  const selection = new HookSelection<ValidatingPolicyHook>(dependencies.informers)
  const check = (attributes: AdmissionAttributes, candidates: readonly ValidatingPolicyHook[]): Promise<void> | void => {
    const hooks = selection.select(candidates, attributes)
    if (hooks.length > 0) return validate!(hooks, attributes, services)
  }
  return {
    name: 'ValidatingAdmissionPolicy',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    validate(attributes) {
      if (isExemptFromPolicies(attributes.resource)) return
      const hooks = source.hooks(attributes)
      if (hooks instanceof Promise) return hooks.then((ready) => check(attributes, ready.candidates(attributes)))
      if (hooks !== undefined) return check(attributes, hooks.candidates(attributes))
    },
    async [Symbol.asyncDispose]() {
      source[Symbol.dispose]()
    },
  }
}
