import { fieldError, isDNS1123Label, isDNS1123Subdomain, isQualifiedName } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

/** One error for each message. */
export function invalidEach(messages: readonly string[], value: unknown, path: FieldPath): FieldErrorList {
  return messages.length === 0 ? [] : messages.map((message) => fieldError.invalid(path, value, message))
}

/** Absent and "" are the same. */
export function validateRequired(value: string | undefined, path: FieldPath, detail = ''): FieldErrorList {
  return (value ?? '') === '' ? [fieldError.required(path, detail)] : []
}

export function validateSupported(value: string | undefined, supported: readonly string[], path: FieldPath): FieldErrorList {
  return value === undefined || supported.includes(value) ? [] : [fieldError.notSupported(path, value, supported)]
}

export function validateRequiredOneOf(value: string | undefined, supported: readonly string[], path: FieldPath): FieldErrorList {
  return (value ?? '') === '' ? [fieldError.required(path)] : validateSupported(value, supported, path)
}

export function validateDNSLabel(value: string, path: FieldPath): FieldErrorList {
  return invalidEach(isDNS1123Label(value), value, path)
}

export function validateDNSSubdomain(value: string, path: FieldPath): FieldErrorList {
  return invalidEach(isDNS1123Subdomain(value), value, path)
}

export function validateQualifiedName(value: string, path: FieldPath): FieldErrorList {
  return invalidEach(isQualifiedName(value), value, path)
}
