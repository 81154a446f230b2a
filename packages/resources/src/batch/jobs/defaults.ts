import type { Job, JobSpec } from '@keelson/api/batch/v1'
import type { DefaultOnRead } from '@keelson/registry'
import { setPodTemplateDefaults } from '@keelson/resources-core'

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

/** A job without labels of its own has those of its pods: the same map, so that what is generated for the pods is the job's too. In place. */
function copyTemplateLabels({ metadata, spec }: Job): void {
  const labels = spec?.template?.metadata?.labels
  if (labels !== undefined && isEmpty(metadata.labels)) metadata.labels = labels
}

/** Labels that are generated for the pods alone come after the job's own were settled. */
export const jobDefaultOnRead: DefaultOnRead<Job> = {
  isDue: ({ metadata, spec }) => isEmpty(metadata.labels) && !isEmpty(spec?.template?.metadata?.labels),
  fill: copyTemplateLabels,
}

function isEmpty(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels === undefined || Object.keys(labels).length === 0
}

/** What a job spec gets in a cron job too, where the rest is left open until there is a job. */
export function setJobTemplateDefaults(spec: JobSpec): void {
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True'
  }
  setPodTemplateDefaults((spec.template ??= {}))
}
