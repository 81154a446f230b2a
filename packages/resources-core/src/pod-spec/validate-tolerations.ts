import type { Toleration } from '@keelson/api/core/v1'
import { emptyMessage, fieldError, isQualifiedName, isValidLabelValue, parseInt64, quote } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateItems } from './field-rules.ts'
import type { PodRules } from './pod-rules.ts'

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

export function validateTolerations(tolerations: readonly DeepReadonly<Toleration>[], rules: PodRules, path: FieldPath): FieldErrorList {
  return validateItems(tolerations, path, (toleration, at) => {
    const { key = '', operator = '', effect = '' } = toleration
    const errors = key === '' ? [] : createInvalidErrors(isQualifiedName(key), key, at, 'key')
    if (key === '' && operator !== 'Exists') {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      errors.push(fieldError.invalid(at.child('operator'), operator, detail))
    }
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(fieldError.invalid(at.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
    }
    errors.push(...validateOperator(toleration, rules, at))
    if (effect !== '' && !effects.includes(effect)) errors.push(fieldError.notSupported(at.child('effect'), effect, effects))
    return errors
  })
}

function validateOperator(toleration: DeepReadonly<Toleration>, rules: PodRules, path: FieldPath): FieldErrorList {
  const { operator = '', value = '' } = toleration
  switch (operator) {
    case '':
    case 'Equal': {
      const messages = isValidLabelValue(value)
      return messages.length === 0 ? [] : [fieldError.invalid(path.child('operator'), value, messages.join(';'))]
    }
    case 'Exists':
      if (value === '') return []
      return [fieldError.invalid(path.child('operator'), value, "value must be empty when `operator` is 'Exists'")]
    case 'Lt':
    case 'Gt':
      if (rules.allowComparingTolerations) return validateComparedValue(value, path.child('value'))
      return [fieldError.notSupported(path.child('operator'), operator, ['Equal', 'Exists', 'Lt', 'Gt'])]
    default:
      return [fieldError.notSupported(path.child('operator'), operator, ['Equal', 'Exists'])]
  }
}

function validateComparedValue(value: string, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  if (value === '') errors.push(fieldError.invalid(path, value, emptyMessage))
  else if (!/^(0|-?[1-9][0-9]*)$/.test(value)) {
    errors.push(fieldError.invalid(path, value, 'must be a valid decimal integer in canonical form'))
  }
  if (parseInt64(value) === undefined) {
    const reason = /^[+-]?[0-9]+$/.test(value) ? 'value out of range' : 'invalid syntax'
    errors.push(fieldError.invalid(path, value, `strconv.ParseInt: parsing ${quote(value)}: ${reason}`))
  }
  return errors
}
