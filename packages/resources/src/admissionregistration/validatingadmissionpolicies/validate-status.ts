import type { ValidatingAdmissionPolicyStatus } from '@keelson/api/admissionregistration/v1'
import { fieldError, fieldPath, validateConditions } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'

const statusPath = fieldPath('status')

export function validatePolicyStatus({ typeChecking, conditions }: DeepReadonly<ValidatingAdmissionPolicyStatus>): FieldErrorList {
  const path = statusPath.child('typeChecking', 'expressionWarnings')
  const errors: FieldErrorList = []
  for (const [i, { warning, fieldRef }] of (typeChecking?.expressionWarnings ?? []).entries()) {
    if (warning === '') errors.push(fieldError.required(path.index(i).child('warning')))
    if (fieldRef.trim() === '') errors.push(fieldError.required(path.index(i).child('fieldRef')))
  }
  return [...errors, ...validateConditions(conditions, statusPath.child('conditions'))]
}
