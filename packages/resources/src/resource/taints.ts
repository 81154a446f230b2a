import type { DeviceTaint, DeviceToleration } from '@keelson/api/resource/v1'
import { fieldError, isValidLabelValue, validateLabelName } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateRequiredOneOf, validateSupported } from '@keelson/resources-core'

const effects = ['NoExecute', 'NoSchedule', 'None']
const operators = ['Equal', 'Exists']

export function validateTaint({ key, value = '', effect }: DeepReadonly<DeviceTaint>, path: FieldPath): FieldErrorList {
  return [
    ...validateLabelName(key, path.child('key')),
    ...createInvalidErrors(isValidLabelValue(value), value, path.child('value')),
    ...validateRequiredOneOf(effect, effects, path.child('effect')),
  ]
}

export function setTolerationDefaults({ tolerations = [] }: { readonly tolerations?: DeviceToleration[] }): void {
  for (const toleration of tolerations) toleration.operator ||= 'Equal'
}

export function validateToleration(toleration: DeepReadonly<DeviceToleration>, path: FieldPath): FieldErrorList {
  const { key = '', operator, value = '', effect } = toleration
  const valuePath = path.child('value')
  const hasForbiddenValue = operator === 'Exists' && value !== ''
  return [
    ...(key === '' ? [] : validateLabelName(key, path.child('key'))),
    ...(hasForbiddenValue ? [fieldError.invalid(valuePath, value, 'must be empty for operator `Exists`')] : []),
    ...(operator === 'Equal' ? createInvalidErrors(isValidLabelValue(value), value, valuePath) : []),
    ...validateRequiredOneOf(operator, operators, path.child('operator')),
    ...validateSupported(effect || undefined, effects, path.child('effect')),
  ]
}
