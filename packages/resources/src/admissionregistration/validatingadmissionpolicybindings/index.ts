import type { ValidatingAdmissionPolicyBinding } from '@keelson/api/admissionregistration/v1'
import { fieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validateBinding } from '../bindings.ts'
import { generationStrategy } from '../generation.ts'
import { formatParamRef, setMatchResourcesDefaults } from '../match-resources.ts'
import { validateActions } from './validate-actions.ts'

export const validatingAdmissionPolicyBindings: ResourceDefinition<ValidatingAdmissionPolicyBinding> =
  defineResource<ValidatingAdmissionPolicyBinding>({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    plural: 'validatingadmissionpolicybindings',
    scope: 'Cluster',
    categories: ['api-extensions'],
    setDefaults: ({ spec }) => setMatchResourcesDefaults(spec?.matchResources),
    strategy: {
      ...generationStrategy<ValidatingAdmissionPolicyBinding>('spec', {}),
      validateCreate: (_context, binding) => validate(binding),
      validateUpdate: (_context, binding) => validate(binding),
    },
    columns: [
      { name: 'PolicyName', description: 'Name of the bound policy.', value: ({ spec }) => spec?.policyName ?? '' },
      { name: 'ParamRef', description: 'Parameters of the policy.', value: ({ spec }) => formatParamRef(spec?.paramRef) },
    ],
  })

function validate({ spec = {} }: DeepReadonly<ValidatingAdmissionPolicyBinding>): FieldErrorList {
  return [...validateBinding(spec), ...validateActions(spec.validationActions ?? [], fieldPath('spec', 'validationActions'))]
}
