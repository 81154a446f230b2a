import type { ValidatingAdmissionPolicyBinding } from '@keelson/api/admissionregistration/v1'
import { fieldError, newFieldPath, repeatCheck } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validateBinding } from '../bindings.ts'
import { createGenerationStrategy } from '../generation.ts'
import { formatParamRef, setMatchResourcesDefaults } from '../match-resources.ts'

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
      ...createGenerationStrategy<ValidatingAdmissionPolicyBinding>('spec', {}),
      validateCreate: (_context, binding) => validate(binding),
      validateUpdate: (_context, binding) => validate(binding),
    },
    columns: [
      { name: 'PolicyName', description: 'Name of the bound policy.', value: ({ spec }) => spec?.policyName ?? '' },
      { name: 'ParamRef', description: 'Parameters of the policy.', value: ({ spec }) => formatParamRef(spec?.paramRef) },
    ],
  })

function validate({ spec = {} }: DeepReadonly<ValidatingAdmissionPolicyBinding>): FieldErrorList {
  return [...validateBinding(spec), ...validateActions(spec.validationActions ?? [], newFieldPath('spec', 'validationActions'))]
}

const knownActions = ['Audit', 'Deny', 'Warn']
const denyAndWarnMessage =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

/** Validates the actions for requests that violate the policy. */
function validateActions(actions: readonly string[], path: FieldPath): FieldErrorList {
  if (actions.length === 0) return [fieldError.required(path, 'at least one validation action is required')]
  const errors: FieldErrorList = []
  const isRepeated = repeatCheck<string>()
  for (const [i, action] of actions.entries()) {
    if (!knownActions.includes(action)) errors.push(fieldError.notSupported(path.index(i), action, knownActions))
    if (isRepeated(action)) errors.push(fieldError.duplicate(path.index(i), action))
  }
  if (actions.includes('Deny') && actions.includes('Warn')) errors.push(fieldError.invalid(path, actions, denyAndWarnMessage))
  return errors
}
