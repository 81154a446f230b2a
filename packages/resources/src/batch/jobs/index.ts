import type { Job } from '@keelson/api/batch/v1'
import { quote } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { templateLabelsOnRead } from '@keelson/resources-core'
import { jobColumns } from './columns.ts'
import { setJobDefaults } from './defaults.ts'
import { jobStatus, jobStrategy } from './strategy.ts'

export const jobs: ResourceDefinition<Job> = defineResource<Job>({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  scope: 'Namespaced',
  categories: ['all'],
  setDefaults: setJobDefaults,
  storage: { defaultOnRead: templateLabelsOnRead },
  strategy: jobStrategy,
  refuseFieldLabel: (label) => `field label ${quote(label)} not supported for Job`,
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  columns: jobColumns,
  subresources: { status: jobStatus },
})
