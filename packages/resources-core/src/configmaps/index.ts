import type { ConfigMap } from '@keelson/api/core/v1'
import { countObjects, defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validateConfigMap, validateConfigMapUpdate } from './validate.ts'

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
