import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'

export function validateNoBacksteps(value: string, path: FieldPath): FieldErrorList {
  return value.split('/').includes('..') ? [fieldError.invalid(path, value, "must not contain '..'")] : []
}

/** Validates a path inside a volume. The path must be relative and must not contain "..". */
export function validateDescendingPath(value: string, path: FieldPath): FieldErrorList {
  const errors = value.startsWith('/') ? [fieldError.invalid(path, value, 'must be a relative path')] : []
  return [...errors, ...validateNoBacksteps(value, path)]
}

/** Validates a file path in a projected volume. The path must not start with "..", because kubelets reserve such names. */
export function validateUnreservedPath(value: string, path: FieldPath): FieldErrorList {
  const errors = validateDescendingPath(value, path)
  if (value.startsWith('..') && !value.startsWith('../')) errors.push(fieldError.invalid(path, value, "must not start with '..'"))
  return errors
}

export function validateFileMode(mode: number | undefined, path: FieldPath): FieldErrorList {
  if (mode === undefined || (0 <= mode && mode <= 0o777)) return []
  return [fieldError.invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')]
}
