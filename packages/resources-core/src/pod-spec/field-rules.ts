import { fieldError, isDNS1123Label, isDNS1123Subdomain, isQualifiedName } from '@keelson/apimachinery'
import type { FieldError, FieldErrorList, FieldPath } from '@keelson/apimachinery'

/**
 * Returns the path of a field. The functions of this file accept either the path of the field, or the path of its parent and the name of
 * the field. The second form is faster, because it builds a path only for an error.
 */
function locateField(path: FieldPath, member: string | undefined): FieldPath {
  return member === undefined ? path : path.child(member)
}

/** Creates an "Invalid value" error for each message. */
export function createInvalidErrors(messages: readonly string[], value: unknown, path: FieldPath, member?: string): FieldErrorList {
  return messages.length === 0 ? [] : messages.map((message) => fieldError.invalid(locateField(path, member), value, message))
}

/** Returns a "Required value" error if the value is missing or empty. */
export function validateRequired(value: string | undefined, path: FieldPath, member?: string, detail = ''): FieldErrorList {
  return (value ?? '') === '' ? [fieldError.required(locateField(path, member), detail)] : []
}

export function validateSupported(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
  member?: string,
): FieldErrorList {
  return value === undefined || supported.includes(value) ? [] : [fieldError.notSupported(locateField(path, member), value, supported)]
}

export function validateRequiredOneOf(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
  member?: string,
): FieldErrorList {
  return (value ?? '') === '' ? [fieldError.required(locateField(path, member))] : validateSupported(value, supported, path, member)
}

export function validateDNSLabel(value: string, path: FieldPath, member?: string): FieldErrorList {
  return createInvalidErrors(isDNS1123Label(value), value, path, member)
}

export function validateDNSSubdomain(value: string, path: FieldPath): FieldErrorList {
  return createInvalidErrors(isDNS1123Subdomain(value), value, path)
}

export function validateQualifiedName(value: string, path: FieldPath): FieldErrorList {
  return createInvalidErrors(isQualifiedName(value), value, path)
}

/** Validates each item of a list and collects the errors or warnings. A missing list has no items. */
export function validateItems<T, E = FieldError>(
  items: readonly T[] | null | undefined,
  path: FieldPath,
  validate: (item: T, at: FieldPath) => readonly E[],
): E[] {
  const errors: E[] = []
  if (items === undefined || items === null) return errors
  for (let i = 0; i < items.length; i++) {
    const itemErrors = validate(items[i]!, path.index(i))
    for (let j = 0; j < itemErrors.length; j++) errors.push(itemErrors[j]!)
  }
  return errors
}
