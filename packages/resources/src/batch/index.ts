import { batchV1 } from '@keelson/api/batch/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { cronJobs } from './cronjobs/index.ts'
import { jobs } from './jobs/index.ts'

export const batch: ApiGroup = defineApiGroup({
  name: 'batch',
  priority: 17400,
  types: [batchV1],
  retiredVersions: ['v1beta1'],
  resources: [cronJobs, jobs],
})
