import { fieldError, intValue, isValidPercent, percentValue, validateNonNegative } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath, IntOrString } from '@keelson/apimachinery'

/** So many, or a share of all. */
export function validateIntOrPercent(value: IntOrString, path: FieldPath): FieldErrorList {
  if (typeof value === 'number') return validateNonNegative(value, path)
  return isValidPercent(value).map((message) => fieldError.invalid(path, value, message))
}

export function validateAtMostAll(value: IntOrString, path: FieldPath): FieldErrorList {
  return (percentValue(value) ?? 0) > 100 ? [fieldError.invalid(path, value, 'must not be greater than 100%')] : []
}

/** Whether nothing is meant, in either form. */
export function isNone(value: IntOrString): boolean {
  return (percentValue(value) ?? intValue(value)) === 0
}
