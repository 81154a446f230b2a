import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyStatus } from '@keelson/api/admissionregistration/v1'
import { fieldError, newFieldPath, validateConditions } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { defineResource, resetMetadataForStatus, validateInSlices } from '@keelson/registry'
import type { ResourceDefinition, Strategy } from '@keelson/registry'
import { keepMember } from '@keelson/resources-core'
import { createGenerationStrategy } from '../generation.ts'
import { formatParamKind, setMatchResourcesDefaults } from '../match-resources.ts'
import { validateValidatingPolicy } from './validate.ts'

const generations = createGenerationStrategy<ValidatingAdmissionPolicy>('spec', {})
const strategy: Strategy<ValidatingAdmissionPolicy> = {
  ...generations,
  resetFields: withoutFields('status'),
  prepareForCreate(context, policy) {
    policy.status = {}
    generations.prepareForCreate?.(context, policy)
  },
  prepareForUpdate(context, policy, old) {
    keepMember(policy, old, 'status')
    generations.prepareForUpdate?.(context, policy, old)
  },
  runValidation: validateInSlices,
  validateCreate: (_context, policy, steps) => validateValidatingPolicy(policy, { steps }),
  validateUpdate: (_context, policy, old, steps) => validateValidatingPolicy(policy, { old, steps }),
}

export const validatingAdmissionPolicies: ResourceDefinition<ValidatingAdmissionPolicy> = defineResource<ValidatingAdmissionPolicy>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  scope: 'Cluster',
  categories: ['api-extensions'],
  setDefaults({ spec }) {
    if (spec === undefined) return
    spec.failurePolicy ??= 'Fail'
    setMatchResourcesDefaults(spec.matchConstraints)
  },
  strategy,
  subresources: {
    status: {
      update: {
        resetFields: withoutFields('spec', 'metadata'),
        prepareForUpdate(_context, policy, old) {
          keepMember(policy, old, 'spec')
          resetMetadataForStatus(policy.metadata, old.metadata)
        },
        validateUpdate: (_context, { status = {} }) => validatePolicyStatus(status),
      },
    },
  },
  columns: [
    {
      name: 'Validations',
      type: 'integer',
      description: 'Number of validations.',
      value: ({ spec }) => (spec?.validations ?? []).length,
    },
    { name: 'ParamKind', description: 'Kind of the parameter objects.', value: ({ spec }) => formatParamKind(spec?.paramKind) },
  ],
})

const statusPath = newFieldPath('status')

function validatePolicyStatus({ typeChecking, conditions }: DeepReadonly<ValidatingAdmissionPolicyStatus>): FieldErrorList {
  const path = statusPath.child('typeChecking', 'expressionWarnings')
  const errors: FieldErrorList = []
  for (const [i, { warning, fieldRef }] of (typeChecking?.expressionWarnings ?? []).entries()) {
    if (warning === '') errors.push(fieldError.required(path.index(i).child('warning')))
    if (fieldRef.trim() === '') errors.push(fieldError.required(path.index(i).child('fieldRef')))
  }
  return [...errors, ...validateConditions(conditions, statusPath.child('conditions'))]
}
