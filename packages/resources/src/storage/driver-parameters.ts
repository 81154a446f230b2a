import { measureUtf8Bytes, fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateQualifiedName } from '@keelson/resources-core'

const maxParameters = 512
const maxParametersSize = 256 * 1024

/** Validates the name of the driver that provisions or modifies volumes of a class. */
export function validateDriver(name: string, path: FieldPath): FieldErrorList {
  return name === '' ? [fieldError.required(path)] : validateQualifiedName(name.toLowerCase(), path)
}

/** Validates parameters of a driver. If there are too many, the only error is about their number. */
export function validateParameters(parameters: Readonly<Record<string, string>>, path: FieldPath): FieldErrorList {
  const entries = Object.entries(parameters)
  if (entries.length > maxParameters) return [fieldError.tooLong(path, maxParameters)]
  const errors: FieldErrorList = '' in parameters ? [fieldError.invalid(path, '', 'field can not be empty.')] : []
  const size = entries.reduce((sum, [key, value]) => sum + measureUtf8Bytes(key) + measureUtf8Bytes(value), 0)
  if (size > maxParametersSize) errors.push(fieldError.tooLong(path, maxParametersSize))
  return errors
}
