import { fieldError, parseIntValue, isValidPercent, parsePercent, validateNonNegative } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath, IntOrString } from '@keelson/apimachinery'

/** Validates a non-negative integer or a percentage. */
export function validateIntOrPercent(value: IntOrString, path: FieldPath): FieldErrorList {
  if (typeof value === 'number') return validateNonNegative(value, path)
  return isValidPercent(value).map((message) => fieldError.invalid(path, value, message))
}

export function validateAtMostAll(value: IntOrString, path: FieldPath): FieldErrorList {
  return (parsePercent(value) ?? 0) > 100 ? [fieldError.invalid(path, value, 'must not be greater than 100%')] : []
}

/** Returns whether the value is 0 or "0%". */
export function isZero(value: IntOrString): boolean {
  return (parsePercent(value) ?? parseIntValue(value)) === 0
}
