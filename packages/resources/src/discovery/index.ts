import { discoveryV1 } from '@keelson/api/discovery/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { endpointSlices } from './endpointslices/index.ts'

export const discovery: ApiGroup = defineApiGroup({
  name: 'discovery.k8s.io',
  priority: 16200,
  types: [discoveryV1],
  retiredVersions: ['v1beta1'],
  resources: [endpointSlices],
})
