import type { ConfigMap } from '@keelson/api/core/v1'
import { fieldError, fieldPath, unnamedPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { sumBinarySizes, maxDataSize, sumStringSizes, validateDataKey } from '../data-keys.ts'
import { validateImmutableData } from '../immutable-data.ts'

export function validateConfigMap(configMap: DeepReadonly<ConfigMap>): FieldErrorList {
  const { data = {}, binaryData = {} } = configMap
  const errors: FieldErrorList = []
  for (const key of Object.keys(data)) {
    errors.push(...validateDataKey(key, fieldPath('data')))
    if (Object.hasOwn(binaryData, key)) {
      errors.push(fieldError.invalid(fieldPath('data').key(key), key, 'duplicate of key present in binaryData'))
    }
  }
  for (const key of Object.keys(binaryData)) errors.push(...validateDataKey(key, fieldPath('binaryData')))
  if (sumStringSizes(data) + sumBinarySizes(binaryData) > maxDataSize) errors.push(fieldError.tooLong(unnamedPath, maxDataSize))
  return errors
}

export function validateConfigMapUpdate(configMap: DeepReadonly<ConfigMap>, old: DeepReadonly<ConfigMap>): FieldErrorList {
  return [...validateImmutableData(configMap, old, ['data', 'binaryData'], 'data'), ...validateConfigMap(configMap)]
}
