import type { Job, JobSpec } from '@keelson/api/batch/v1'
import { copyTemplateLabels, setPodTemplateDefaults } from '@keelson/resources-core'

const maxInt32 = 2_147_483_647

export function setJobDefaults(job: Job): void {
  const spec = (job.spec ??= { template: {} })
  if (spec.parallelism === undefined) {
    spec.completions ??= 1
    spec.parallelism = 1
  }
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32
  copyTemplateLabels(job)
  spec.completionMode ??= 'NonIndexed'
  spec.suspend ??= false
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed'
  spec.manualSelector ??= false
  setJobTemplateDefaults(spec)
}

/** Sets the defaults that also apply to the job template of a cron job. Other defaults are set when a job is created. */
export function setJobTemplateDefaults(spec: JobSpec): void {
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True'
  }
  setPodTemplateDefaults((spec.template ??= {}))
}
