import type { ReplicationController } from '@keelson/api/core/v1'
import { setPodTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { copyTemplateLabels, hasNoLabels } from '../template-labels.ts'

/** Defaults labels and selector to the labels of the template. */
export function setReplicationControllerDefaults(controller: ReplicationController): void {
  const spec = (controller.spec ??= {})
  const labels = spec.template?.metadata?.labels
  if (labels !== undefined && hasNoLabels(spec.selector)) spec.selector = { ...labels }
  copyTemplateLabels(controller)
  spec.replicas ??= 1
  if (spec.template !== undefined) setPodTemplateDefaults(spec.template)
}
