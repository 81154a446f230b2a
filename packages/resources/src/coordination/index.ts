import { coordinationV1 } from '@keelson/api/coordination/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { leases } from './leases/index.ts'

export const coordination: ApiGroup = defineApiGroup({
  name: 'coordination.k8s.io',
  priority: 16500,
  types: [coordinationV1],
  retiredVersions: ['v1beta1', 'v1alpha2'],
  resources: [leases],
})
