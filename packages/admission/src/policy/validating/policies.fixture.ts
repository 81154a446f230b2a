import type { ValidatingAdmissionPolicyBindingSpec, ValidatingAdmissionPolicySpec, Validation } from '@keelson/api/admissionregistration/v1'
import { isApiError } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { AdmissionAttributes, AdmissionPlugin } from '../../admission.ts'
import type { PluginDependencies } from '../../admission-plugins.ts'
import { openTestCluster } from '../../plugin.fixture.ts'
import type { TestCluster } from '../../plugin.fixture.ts'
import { createValidatingAdmissionPolicyPlugin } from './index.ts'

/** A test server with the plugin ValidatingAdmissionPolicy. */
export interface PolicyCluster extends AsyncDisposable {
  readonly cluster: TestCluster
  readonly plugin: AdmissionPlugin
  readonly metrics: MetricsRegistry
  /** Creates a policy that matches config maps and pods, and a binding with the same name that denies. */
  add(name: string, spec: Partial<ValidatingAdmissionPolicySpec>, binding?: Partial<ValidatingAdmissionPolicyBindingSpec>): Promise<void>
  /** Returns the message of the answer if the plugin refuses the write; undefined if it admits the write. */
  refusal(attributes: AdmissionAttributes): Promise<string | undefined>
}

/** Opens the test server. `replaced` replaces services of the plugin. */
export function openPolicyCluster(replaced: Partial<PluginDependencies> = {}): PolicyCluster {
  const cluster = openTestCluster()
  const metrics = createMetricsRegistry()
  const plugin = createValidatingAdmissionPolicyPlugin({ ...cluster, metrics, ...replaced })
  return {
    cluster,
    plugin,
    metrics,
    async add(name, spec, binding = {}) {
      await cluster.create('validatingadmissionpolicies', newPolicy(name, spec))
      const bindingSpec = { policyName: name, validationActions: ['Deny'], ...binding }
      await cluster.create('validatingadmissionpolicybindings', { metadata: { name }, spec: bindingSpec } as KubeObject)
      await waitUntilSettled()
    },
    async refusal(attributes) {
      try {
        await plugin.validate!(attributes)
        return undefined
      } catch (error) {
        if (!isApiError(error)) throw error
        return error.message
      }
    },
    async [Symbol.asyncDispose]() {
      await plugin[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

/** Creates a policy. Its generation is that of a new object. */
export function newPolicy(name: string, spec: Partial<ValidatingAdmissionPolicySpec>, generation = 1): KubeObject {
  const rule = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'pods'] }
  const defaults = { failurePolicy: 'Fail', matchConstraints: { resourceRules: [rule], matchPolicy: 'Equivalent' } }
  return { metadata: { name, generation }, spec: { ...defaults, ...spec } } as KubeObject
}

/** Creates a validation that is always false. */
export function createFailingValidation(overrides: Partial<Validation> = {}): Validation {
  return { expression: 'false', ...overrides }
}

/** Waits until informers and policies have seen the last write. */
export async function waitUntilSettled(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 20)
  })
}
