import type { DeviceConfiguration } from '@keelson/api/resource/v1'
import { byteLength, fieldError, goJson } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateCSIDriverName } from '@keelson/resources-core'

const maxParametersLength = 10 * 1024

/** What only a driver understands. `stored`: it was there before, however long. */
export function validateConfiguration(config: DeepReadonly<DeviceConfiguration>, path: FieldPath, stored = false): FieldErrorList {
  const { opaque } = config
  const at = path.child('opaque')
  if (opaque === undefined) return [fieldError.required(at)]
  const length = stored ? 0 : maxParametersLength
  return [...validateCSIDriverName(opaque.driver, at.child('driver')), ...validateObject(opaque.parameters, length, at.child('parameters'))]
}

/** Any JSON object; a `maxLength` of 0 is no limit. */
export function validateObject(value: unknown, maxLength: number, path: FieldPath): FieldErrorList {
  if (value === undefined || value === null) return [fieldError.required(path)]
  if (maxLength > 0 && byteLength(goJson(value)) > maxLength) return [fieldError.tooLong(path, maxLength)]
  const isObject = typeof value === 'object' && !Array.isArray(value)
  return isObject ? [] : [fieldError.invalid(path, '<value omitted>', 'must be a valid JSON object')]
}
