import type { MutatingAdmissionPolicyBindingSpec, MutatingAdmissionPolicySpec, Mutation } from '@keelson/api/admissionregistration/v1'
import { isApiError } from '@keelson/apimachinery'
import type { ApiError, KubeObject } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { AdmissionAttributes, AdmissionPlugin } from '../../admission.ts'
import { createAdmissionChain } from '../../create-admission-chain.ts'
import { openTestCluster } from '../../plugin.fixture.ts'
import type { TestCluster } from '../../plugin.fixture.ts'
import { createMutatingAdmissionPolicyPlugin } from './index.ts'

/** A test server with the plugin MutatingAdmissionPolicy. */
export interface MutatingPolicyCluster extends AsyncDisposable {
  readonly cluster: TestCluster
  readonly metrics: MetricsRegistry
  /** Creates a policy that matches config maps and pods, and a binding with the same name. */
  add(name: string, spec: Partial<MutatingAdmissionPolicySpec>, binding?: Partial<MutatingAdmissionPolicyBindingSpec>): Promise<void>
  /** Runs the plugin, and the given plugins after it. Returns the object, or the error with which a plugin refuses the write. */
  admit<T extends KubeObject>(attributes: AdmissionAttributes & { readonly object: T }, later?: readonly AdmissionPlugin[]): Promise<T>
  /** Returns the error with which the plugin refuses the write. */
  refusal(attributes: AdmissionAttributes): Promise<ApiError>
}

/** Opens the test server. */
export function openMutatingPolicyCluster(): MutatingPolicyCluster {
  const cluster = openTestCluster()
  const metrics = createMetricsRegistry()
  const plugin = createMutatingAdmissionPolicyPlugin({ ...cluster, metrics })
  const admit = async (attributes: AdmissionAttributes, later: readonly AdmissionPlugin[] = []): Promise<void> => {
    await createAdmissionChain([plugin, ...later]).admit(attributes)
  }
  return {
    cluster,
    metrics,
    async add(name, spec, binding = {}) {
      const rule = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'pods'] }
      const defaults = { failurePolicy: 'Fail', reinvocationPolicy: 'Never', matchConstraints: { resourceRules: [rule] } }
      await cluster.create('mutatingadmissionpolicies', { metadata: { name }, spec: { ...defaults, ...spec } } as KubeObject)
      await cluster.create('mutatingadmissionpolicybindings', { metadata: { name }, spec: { policyName: name, ...binding } } as KubeObject)
      // Waits until the informers have seen the writes and the policy is compiled.
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
    },
    async admit(attributes, later) {
      await admit(attributes, later)
      return attributes.object
    },
    async refusal(attributes) {
      try {
        await admit(attributes)
      } catch (error) {
        if (isApiError(error)) return error
        throw error
      }
      throw new Error('the write was not refused')
    },
    async [Symbol.asyncDispose]() {
      await plugin[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

/** Creates a mutation that applies a configuration. */
export function createApplyMutation(expression: string): Mutation {
  return { patchType: 'ApplyConfiguration', applyConfiguration: { expression } }
}

/** Creates a mutation that applies a JSON patch. */
export function createPatchMutation(expression: string): Mutation {
  return { patchType: 'JSONPatch', jsonPatch: { expression } }
}
