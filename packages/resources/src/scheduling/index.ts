import { schedulingV1 } from '@keelson/api/scheduling/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { priorityClasses } from './priorityclasses/index.ts'

export const scheduling: ApiGroup = defineApiGroup({
  name: 'scheduling.k8s.io',
  priority: 16600,
  types: [schedulingV1],
  retiredVersions: ['v1beta1', 'v1alpha1', 'v1alpha2'],
  resources: [priorityClasses],
})
