import type { MutatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import { defineResource, validateInSlices } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { createGenerationStrategy } from '../generation.ts'
import { formatParamKind, setMatchResourcesDefaults } from '../match-resources.ts'
import { validateMutatingPolicy } from './validate.ts'

export const mutatingAdmissionPolicies: ResourceDefinition<MutatingAdmissionPolicy> = defineResource<MutatingAdmissionPolicy>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
  alsoServedAs: [
    { group: 'admissionregistration.k8s.io', version: 'v1beta1' },
    { group: 'admissionregistration.k8s.io', version: 'v1alpha1', deprecated: { since: '1.35', gone: '1.38' } },
  ],
  scope: 'Cluster',
  categories: ['api-extensions'],
  // Stored as v1beta1 so that servers of the previous release can read it.
  storage: { version: 'v1beta1' },
  setDefaults({ spec }) {
    if (spec === undefined) return
    spec.failurePolicy ??= 'Fail'
    setMatchResourcesDefaults(spec.matchConstraints)
  },
  strategy: {
    ...createGenerationStrategy<MutatingAdmissionPolicy>('spec', {}),
    runValidation: validateInSlices,
    validateCreate: (_context, policy, steps) => validateMutatingPolicy(policy, { steps }),
    validateUpdate: (_context, policy, old, steps) => validateMutatingPolicy(policy, { old, steps }),
  },
  columns: [
    { name: 'Mutations', type: 'integer', description: 'Number of mutations.', value: ({ spec }) => (spec?.mutations ?? []).length },
    { name: 'ParamKind', description: 'Kind of the parameter objects.', value: ({ spec }) => formatParamKind(spec?.paramKind) },
  ],
})
