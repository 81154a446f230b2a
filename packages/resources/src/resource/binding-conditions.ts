import { fieldError, repeatCheck, validateLabelName } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateList } from './lists.ts'

const maxConditions = 4

interface BindingConditions {
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
}

/** What a pod waits for before it is bound, and what tells it to wait no longer: both, or neither. */
export function validateBindingConditions(conditions: BindingConditions, path: FieldPath): FieldErrorList {
  const { bindingConditions: wanted = [], bindingFailureConditions: failed = [] } = conditions
  const wantedPath = path.child('bindingConditions')
  const failedPath = path.child('bindingFailureConditions')
  const errors = [
    ...validateList(wanted, maxConditions, validateLabelName, wantedPath),
    ...validateList(failed, maxConditions, validateLabelName, failedPath),
    ...repeated(wanted, wantedPath),
    ...repeated(failed, failedPath),
  ]
  const alsoWanted = new Set(wanted)
  for (const [i, condition] of failed.entries()) {
    if (!alsoWanted.has(condition)) continue
    errors.push(fieldError.invalid(failedPath.index(i), condition, 'bindingFailureConditions must not overlap with bindingConditions'))
  }
  if (wanted.length === 0 && failed.length > 0) {
    errors.push(fieldError.invalid(wantedPath, null, 'bindingConditions are required to use bindingFailureConditions'))
  }
  if (failed.length === 0 && wanted.length > 0) {
    errors.push(fieldError.invalid(failedPath, null, 'bindingFailureConditions are required to use bindingConditions'))
  }
  return errors
}

function repeated(list: readonly string[], path: FieldPath): FieldErrorList {
  const isRepeated = repeatCheck<string>()
  return list.flatMap((item, i) => (isRepeated(item) ? [fieldError.duplicate(path.index(i), item)] : []))
}
