import type { ConfigMap } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, unnamedPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { countObjects, defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { maxDataSize, sumBinarySizes, sumStringSizes, validateDataKey, validateImmutableData } from '../data-rules.ts'

export const configMaps: ResourceDefinition<ConfigMap> = defineResource<ConfigMap>({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
  shortNames: ['cm'],
  quota: countObjects({ group: '', resource: 'configmaps' }, 'configmaps'),
  strategy: {
    validateCreate: (_context, configMap) => validateConfigMap(configMap),
    validateUpdate: (_context, configMap, old) => validateConfigMapUpdate(configMap, old),
  },
  columns: [
    {
      name: 'Data',
      description: 'Number of keys.',
      value: (configMap) => Object.keys(configMap.data ?? {}).length + Object.keys(configMap.binaryData ?? {}).length,
    },
  ],
})

export function validateConfigMap(configMap: DeepReadonly<ConfigMap>): FieldErrorList {
  const { data = {}, binaryData = {} } = configMap
  const errors: FieldErrorList = []
  for (const key of Object.keys(data)) {
    errors.push(...validateDataKey(key, newFieldPath('data')))
    if (Object.hasOwn(binaryData, key)) {
      errors.push(fieldError.invalid(newFieldPath('data').key(key), key, 'duplicate of key present in binaryData'))
    }
  }
  for (const key of Object.keys(binaryData)) errors.push(...validateDataKey(key, newFieldPath('binaryData')))
  if (sumStringSizes(data) + sumBinarySizes(binaryData) > maxDataSize) errors.push(fieldError.tooLong(unnamedPath, maxDataSize))
  return errors
}

export function validateConfigMapUpdate(configMap: DeepReadonly<ConfigMap>, old: DeepReadonly<ConfigMap>): FieldErrorList {
  return [...validateImmutableData(configMap, old, ['data', 'binaryData'], 'data'), ...validateConfigMap(configMap)]
}
