import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from '@keelson/api/admissionregistration/v1'
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
import type { MutatingPolicy } from './mutating-policy.ts'
import type { mutateByPolicies, MutatingPolicyHook, MutatingPolicyServices } from './policy-run.ts'

const group = 'admissionregistration.k8s.io'

/** Creates the plugin MutatingAdmissionPolicy. It changes objects by the expressions of policies. */
export function createMutatingAdmissionPolicyPlugin(dependencies: PluginDependencies): AdmissionPlugin & AsyncDisposable {
  const { authorizer, metrics: registry = createMetricsRegistry() } = dependencies
  const params = new PolicyParams(dependencies, { hasBuiltinKinds: false })
  const metrics = { expressions: getExpressionMetrics(registry), matchConditions: getMatchConditionMetrics(registry) }
  // The code that evaluates policies is loaded with the first one, because most servers have none.
  let mutate: typeof mutateByPolicies | undefined
  const source = new PolicySource<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, MutatingPolicy>({
    dependencies,
    policies: { group, resource: 'mutatingadmissionpolicies' },
    bindings: { group, resource: 'mutatingadmissionpolicybindings' },
    async compile(policy, slice) {
      const [run, { compileMutatingPolicy }] = await Promise.all([import('./policy-run.ts'), import('./mutating-policy.ts')])
      mutate = run.mutateByPolicies
      return compileMutatingPolicy(policy, metrics, slice)
    },
    prepare: (policy) => params.prepare(policy.spec?.paramKind),
  })
  const services: MutatingPolicyServices = {
    authorizer,
    matcher: createMatcher(dependencies),
    params,
    metrics: createPolicyMetrics('mutating', registry),
  }
  const selection = new HookSelection<MutatingPolicyHook>(dependencies.informers)
  const admit = (attributes: AdmissionAttributes, candidates: readonly MutatingPolicyHook[]): Promise<void> | void => {
    const hooks = selection.select(candidates, attributes)
    if (hooks.length > 0) return mutate!(hooks, attributes, services)
  }
  return {
    name: 'MutatingAdmissionPolicy',
    // A DELETE has no object to change.
    operations: ['CREATE', 'UPDATE', 'CONNECT'],
    admit(attributes) {
      if (isExemptFromPolicies(attributes.resource)) return
      const hooks = source.hooks(attributes)
      if (hooks instanceof Promise) return hooks.then((ready) => admit(attributes, ready.candidates(attributes)))
      if (hooks !== undefined) return admit(attributes, hooks.candidates(attributes))
    },
    async [Symbol.asyncDispose]() {
      source[Symbol.dispose]()
    },
  }
}
