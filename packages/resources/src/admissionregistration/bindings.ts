import type { MutatingAdmissionPolicyBindingSpec } from '@keelson/api/admissionregistration/v1'
import { fieldError, newFieldPath, nameIsDNSSubdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { createInvalidErrors } from '@keelson/resources-core'
import { validateMatchResources, validateParamRef } from './match-resources.ts'

const specPath = newFieldPath('spec')

/** Validates the common fields of both kinds of bindings. */
export function validateBinding(spec: DeepReadonly<MutatingAdmissionPolicyBindingSpec>): FieldErrorList {
  const { policyName: name = '', paramRef, matchResources } = spec
  const namePath = specPath.child('policyName')
  return [
    ...(name === '' ? [fieldError.required(namePath)] : createInvalidErrors(nameIsDNSSubdomain(name, false), name, namePath)),
    ...(paramRef === undefined ? [] : validateParamRef(paramRef, specPath.child('paramRef'))),
    ...(matchResources === undefined ? [] : validateMatchResources(matchResources, specPath.child('matchResources'))),
  ]
}
