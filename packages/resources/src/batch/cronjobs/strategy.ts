import type { CronJob } from '@keelson/api/batch/v1'
import { newFieldPath } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember, findPodNameWarnings } from '@keelson/resources-core'
import { countSpecChanges, dropDisabledTemplateFields, isNewGeneration } from '../../workloads/template-hooks.ts'
import { findJobSpecWarnings } from '../jobs/job-spec-warnings.ts'
import { validateCronJob, validateCronJobUpdate } from './validate.ts'

const jobPath = newFieldPath('spec', 'jobTemplate', 'spec')
const zoneInScheduleWarning =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'

export const cronJobStrategy: Strategy<CronJob> = {
  resetFields: withoutFields('status'),
  repeatedMetadataChecks: 'update',
  prepareForCreate(_context, cronJob) {
    cronJob.status = {}
    cronJob.metadata.generation = 1
    dropDisabledTemplateFields(cronJob.spec?.jobTemplate?.spec?.template)
  },
  validateCreate: (_context, cronJob) => validateCronJob(cronJob),
  warningsOnCreate: (_context, { metadata, spec }) => [
    ...findPodNameWarnings(metadata.name ?? ''),
    ...findJobSpecWarnings(spec?.jobTemplate?.spec, jobPath),
  ],
  prepareForUpdate(_context, cronJob, old) {
    keepMember(cronJob, old, 'status')
    dropDisabledTemplateFields(cronJob.spec?.jobTemplate?.spec?.template, old.spec?.jobTemplate?.spec?.template)
    countSpecChanges(cronJob, old)
  },
  validateUpdate: (_context, cronJob, old) => validateCronJobUpdate(cronJob, old),
  warningsOnUpdate: (_context, cronJob, old) => [
    ...(isNewGeneration(cronJob, old) ? findJobSpecWarnings(cronJob.spec?.jobTemplate?.spec, jobPath) : []),
    ...(cronJob.spec?.schedule.includes('TZ') === true ? [zoneInScheduleWarning] : []),
  ],
}

export const cronJobStatus: SubresourceStrategy<CronJob> = {
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate: (_context, cronJob, old) => keepMember(cronJob, old, 'spec'),
  },
}
