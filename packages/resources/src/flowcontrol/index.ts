import { flowcontrolV1 } from '@keelson/api/flowcontrol/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { flowSchemas } from './flowschemas/index.ts'
import { priorityLevelConfigurations } from './prioritylevelconfigurations/index.ts'

export const flowcontrol: ApiGroup = defineApiGroup({
  name: 'flowcontrol.apiserver.k8s.io',
  priority: 16100,
  types: [flowcontrolV1],
  retiredVersions: ['v1beta1', 'v1beta2', 'v1beta3'],
  resources: [flowSchemas, priorityLevelConfigurations],
})
