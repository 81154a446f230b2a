import type { CronJob } from '@keelson/api/batch/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { setJobTemplateDefaults } from '../jobs/defaults.ts'
import { cronJobColumns } from './columns.ts'
import { cronJobStatus, cronJobStrategy } from './strategy.ts'

export const cronJobs: ResourceDefinition<CronJob> = defineResource<CronJob>({
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  scope: 'Namespaced',
  shortNames: ['cj'],
  categories: ['all'],
  setDefaults(cronJob) {
    const spec = (cronJob.spec ??= { schedule: '', jobTemplate: {} })
    spec.concurrencyPolicy ||= 'Allow'
    spec.suspend ??= false
    spec.successfulJobsHistoryLimit ??= 3
    spec.failedJobsHistoryLimit ??= 1
    const jobTemplate = (spec.jobTemplate ??= {})
    setJobTemplateDefaults((jobTemplate.spec ??= { template: {} }))
  },
  strategy: cronJobStrategy,
  columns: cronJobColumns,
  subresources: { status: cronJobStatus },
})
