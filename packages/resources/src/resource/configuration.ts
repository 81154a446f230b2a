import type { DeviceConfiguration } from '@keelson/api/resource/v1'
import { measureUtf8Bytes, fieldError, goJson } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateCSIDriverName } from '@keelson/resources-core'

const maxParametersLength = 10 * 1024

/** Validates opaque parameters of drivers. With `isStored`, their length is not limited. */
export function validateConfiguration(config: DeepReadonly<DeviceConfiguration>, path: FieldPath, isStored = false): FieldErrorList {
  const { opaque } = config
  const at = path.child('opaque')
  if (opaque === undefined) return [fieldError.required(at)]
  const limit = isStored ? 0 : maxParametersLength
  return [...validateCSIDriverName(opaque.driver, at.child('driver')), ...validateObject(opaque.parameters, limit, at.child('parameters'))]
}

/** Validates a JSON object of at most `maxLength` bytes; 0 means no limit. */
export function validateObject(value: unknown, maxLength: number, path: FieldPath): FieldErrorList {
  if (value === undefined || value === null) return [fieldError.required(path)]
  if (maxLength > 0 && measureUtf8Bytes(goJson(value)) > maxLength) return [fieldError.tooLong(path, maxLength)]
  const isObject = typeof value === 'object' && !Array.isArray(value)
  return isObject ? [] : [fieldError.invalid(path, '<value omitted>', 'must be a valid JSON object')]
}
