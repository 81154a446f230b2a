import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, isQualifiedName, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors } from '../pod-spec/field-rules.ts'
import { isNativeResource } from '../pod-spec/resource-names.ts'
import { validateResourceQuantity } from '../pod-spec/resource-quantities.ts'

const statusPath = newFieldPath('status')
const resizeStates = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
]

export function validateClaimStatus({ spec, status = {} }: DeepReadonly<PersistentVolumeClaim>): FieldErrorList {
  const errors = (spec?.accessModes ?? []).length === 0 ? [fieldError.required(newFieldPath('Spec', 'accessModes'))] : []
  const capacityPath = statusPath.child('capacity')
  for (const [name, text] of Object.entries(status.capacity ?? {})) errors.push(...validateAmount(text, capacityPath.key(name)))
  const statesPath = statusPath.child('allocatedResourceStatuses')
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    errors.push(...validateKey(name, statesPath))
    if (!resizeStates.includes(state)) errors.push(fieldError.notSupported(statesPath, name, resizeStates))
  }
  const allocatedPath = statusPath.child('allocatedResources')
  for (const [name, text] of Object.entries(status.allocatedResources ?? {})) {
    const keyErrors = validateKey(name, allocatedPath)
    const at = allocatedPath.key(name)
    const amountErrors = validateAmount(text, at)
    if (keyErrors.length > 0) errors.push(...keyErrors)
    else if (amountErrors.length > 0) errors.push(...amountErrors)
    else errors.push(...validateResourceQuantity('storage', parseQuantity(text), at))
  }
  return errors
}

function validateAmount(text: string, path: FieldPath): FieldErrorList {
  const value = parseQuantity(text).value()
  return value < 0n ? [fieldError.invalid(path, value, 'must be a valid resource quantity')] : []
}

/** Validates a resource name in the resize status. Allowed are "storage" and names with a domain other than Kubernetes's. */
function validateKey(name: string, path: FieldPath): FieldErrorList {
  const errors = createInvalidErrors(isQualifiedName(name), name, path)
  if (errors.length > 0 || !isNativeResource(name) || name === 'storage') return errors
  return [fieldError.notSupported(path, name, ['storage'])]
}
