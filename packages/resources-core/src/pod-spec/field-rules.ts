import { fieldError, isDNS1123Label, isDNS1123Subdomain, isQualifiedName } from '@keelson/apimachinery'
import type { FieldError, FieldErrorList, FieldPath } from '@keelson/apimachinery'

/**
 * These take the way to a field, or to what it is a member of and the member's name. The latter is for what every object has: nearly all
 * fields are right, and only an error needs the way spelled out.
 */
function placeOf(path: FieldPath, member: string | undefined): FieldPath {
  return member === undefined ? path : path.child(member)
}

/** One error for each message. */
export function invalidEach(messages: readonly string[], value: unknown, path: FieldPath, member?: string): FieldErrorList {
  return messages.length === 0 ? [] : messages.map((message) => fieldError.invalid(placeOf(path, member), value, message))
}

/** Absent and "" are the same. */
export function validateRequired(value: string | undefined, path: FieldPath, member?: string, detail = ''): FieldErrorList {
  return (value ?? '') === '' ? [fieldError.required(placeOf(path, member), detail)] : []
}

export function validateSupported(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
  member?: string,
): FieldErrorList {
  return value === undefined || supported.includes(value) ? [] : [fieldError.notSupported(placeOf(path, member), value, supported)]
}

export function validateRequiredOneOf(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
  member?: string,
): FieldErrorList {
  return (value ?? '') === '' ? [fieldError.required(placeOf(path, member))] : validateSupported(value, supported, path, member)
}

export function validateDNSLabel(value: string, path: FieldPath, member?: string): FieldErrorList {
  return invalidEach(isDNS1123Label(value), value, path, member)
}

export function validateDNSSubdomain(value: string, path: FieldPath): FieldErrorList {
  return invalidEach(isDNS1123Subdomain(value), value, path)
}

export function validateQualifiedName(value: string, path: FieldPath): FieldErrorList {
  return invalidEach(isQualifiedName(value), value, path)
}

/** Errors, or warnings, of the items of a list that may be absent, each at its place. */
export function validateItems<T, E = FieldError>(
  items: readonly T[] | null | undefined,
  path: FieldPath,
  validate: (item: T, at: FieldPath) => readonly E[],
): E[] {
  const found: E[] = []
  if (items === undefined || items === null) return found
  for (let i = 0; i < items.length; i++) {
    const own = validate(items[i]!, path.index(i))
    for (let j = 0; j < own.length; j++) found.push(own[j]!)
  }
  return found
}
