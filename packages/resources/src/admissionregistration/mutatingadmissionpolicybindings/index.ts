import type { MutatingAdmissionPolicyBinding } from '@keelson/api/admissionregistration/v1'
import type * as v1alpha1 from '@keelson/api/admissionregistration/v1alpha1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validateBinding } from '../bindings.ts'
import { createGenerationStrategy } from '../generation.ts'
import { formatParamRef, setMatchResourcesDefaults, validateMutatedOperations } from '../match-resources.ts'

export const mutatingAdmissionPolicyBindings: ResourceDefinition<MutatingAdmissionPolicyBinding> =
  defineResource<MutatingAdmissionPolicyBinding>({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'MutatingAdmissionPolicyBinding',
    plural: 'mutatingadmissionpolicybindings',
    alsoServedAs: [
      { group: 'admissionregistration.k8s.io', version: 'v1beta1' },
      {
        group: 'admissionregistration.k8s.io',
        version: 'v1alpha1',
        deprecated: { since: '1.35', gone: '1.38' },
        setDefaults({ spec }: v1alpha1.MutatingAdmissionPolicyBinding) {
          setMatchResourcesDefaults(spec?.matchResources)
          if (spec?.paramRef !== undefined) spec.paramRef.parameterNotFoundAction ??= 'Deny'
        },
      },
    ],
    scope: 'Cluster',
    categories: ['api-extensions'],
    // Stored as v1beta1 so that servers of the previous release can read it.
    storage: { version: 'v1beta1' },
    setDefaults: ({ spec }) => setMatchResourcesDefaults(spec?.matchResources),
    strategy: {
      ...createGenerationStrategy<MutatingAdmissionPolicyBinding>('spec', {}),
      validateCreate: (_context, binding) => validate(binding),
      validateUpdate: (_context, binding) => validate(binding),
    },
    columns: [
      { name: 'PolicyName', description: 'Name of the bound policy.', value: ({ spec }) => spec?.policyName ?? '' },
      { name: 'ParamRef', description: 'Parameters of the policy.', value: ({ spec }) => formatParamRef(spec?.paramRef) },
    ],
  })

function validate({ spec = {} }: DeepReadonly<MutatingAdmissionPolicyBinding>): FieldErrorList {
  return [...validateBinding(spec), ...validateMutatedOperations(spec.matchResources, newFieldPath('spec', 'matchResources'))]
}
