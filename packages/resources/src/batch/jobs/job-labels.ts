import type { Job } from '@keelson/api/batch/v1'

export const controllerUidLabel = 'batch.kubernetes.io/controller-uid'
export const jobNameLabel = 'batch.kubernetes.io/job-name'
/** Unprefixed label names from before the "batch.kubernetes.io/" prefix; clients still rely on them. */
export const legacyControllerUidLabel = 'controller-uid'
export const legacyJobNameLabel = 'job-name'

/** Adds labels unique to this job to the pod template and selects by its UID, unless `manualSelector` is set. Mutates the job. */
export function generateSelector({ metadata, spec }: Job): void {
  if (spec === undefined || spec.manualSelector === true) return
  const { name = '', uid = '' } = metadata
  const template = (spec.template ??= {})
  const podMeta = (template.metadata ??= {})
  const labels = (podMeta.labels ??= {})
  for (const key of [legacyJobNameLabel, jobNameLabel]) labels[key] ??= name
  for (const key of [legacyControllerUidLabel, controllerUidLabel]) labels[key] ??= uid
  const selector = (spec.selector ??= {})
  const matchLabels = (selector.matchLabels ??= {})
  matchLabels[controllerUidLabel] ??= uid
}
