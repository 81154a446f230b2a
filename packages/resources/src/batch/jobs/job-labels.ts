import type { Job } from '@keelson/api/batch/v1'

export const controllerUidLabel = 'batch.kubernetes.io/controller-uid'
export const jobNameLabel = 'batch.kubernetes.io/job-name'
/** Older than the prefix, and still relied on. */
export const legacyControllerUidLabel = 'controller-uid'
export const legacyJobNameLabel = 'job-name'

/** Gives the pods labels of this job alone, and selects by one of them, unless the client does so itself. In place. */
export function generateSelector({ metadata, spec }: Job): void {
  if (spec === undefined || spec.manualSelector === true) return
  const { name = '', uid = '' } = metadata
  const template = (spec.template ??= {})
  const podMeta = (template.metadata ??= {})
  const labels = (podMeta.labels ??= {})
  for (const key of [legacyJobNameLabel, jobNameLabel]) labels[key] ??= name
  for (const key of [legacyControllerUidLabel, controllerUidLabel]) labels[key] ??= uid
  const selector = (spec.selector ??= {})
  const selected = (selector.matchLabels ??= {})
  selected[controllerUidLabel] ??= uid
}
