import { fieldError, repeatCheck, validateLabelName } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateList } from './lists.ts'

const maxConditions = 4

interface BindingConditions {
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
}

/** Validates the conditions that delay binding and those that abort it. Both lists must be empty, or neither. */
export function validateBindingConditions(conditions: BindingConditions, path: FieldPath): FieldErrorList {
  const { bindingConditions: binding = [], bindingFailureConditions: failed = [] } = conditions
  const bindingPath = path.child('bindingConditions')
  const failedPath = path.child('bindingFailureConditions')
  const errors = [
    ...validateList(binding, maxConditions, validateLabelName, bindingPath),
    ...validateList(failed, maxConditions, validateLabelName, failedPath),
    ...validateUnique(binding, bindingPath),
    ...validateUnique(failed, failedPath),
  ]
  const bindingSet = new Set(binding)
  for (const [i, condition] of failed.entries()) {
    if (!bindingSet.has(condition)) continue
    errors.push(fieldError.invalid(failedPath.index(i), condition, 'bindingFailureConditions must not overlap with bindingConditions'))
  }
  if (binding.length === 0 && failed.length > 0) {
    errors.push(fieldError.invalid(bindingPath, null, 'bindingConditions are required to use bindingFailureConditions'))
  }
  if (failed.length === 0 && binding.length > 0) {
    errors.push(fieldError.invalid(failedPath, null, 'bindingFailureConditions are required to use bindingConditions'))
  }
  return errors
}

function validateUnique(list: readonly string[], path: FieldPath): FieldErrorList {
  const isRepeated = repeatCheck<string>()
  return list.flatMap((item, i) => (isRepeated(item) ? [fieldError.duplicate(path.index(i), item)] : []))
}
