import type { Job } from '@keelson/api/batch/v1'

export const controllerUidLabel = 'batch.kubernetes.io/controller-uid'
export const jobNameLabel = 'batch.kubernetes.io/job-name'
/** The label `controller-uid` without the prefix "batch.kubernetes.io/", for old clients. */
export const legacyControllerUidLabel = 'controller-uid'
export const legacyJobNameLabel = 'job-name'

/**
 * Adds labels with the job's name and UID to the pod template, and sets a selector for the UID, unless `manualSelector` is set. Mutates the
 * job.
 */
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
