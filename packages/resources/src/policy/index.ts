import { policyV1 } from '@keelson/api/policy/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { podDisruptionBudgets } from './poddisruptionbudgets/index.ts'

export const policy: ApiGroup = defineApiGroup({
  name: 'policy',
  priority: 17100,
  types: [policyV1],
  retiredVersions: ['v1beta1'],
  resources: [podDisruptionBudgets],
})
