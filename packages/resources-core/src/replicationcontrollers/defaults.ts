import type { ReplicationController } from '@keelson/api/core/v1'
import { setPodTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'

/** What it is called, and what it looks for, follows from what it makes. */
export function setReplicationControllerDefaults(controller: ReplicationController): void {
  const spec = (controller.spec ??= {})
  const labels = spec.template?.metadata?.labels
  if (labels !== undefined) {
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels }
    if (Object.keys(controller.metadata.labels ?? {}).length === 0) controller.metadata.labels = { ...labels }
  }
  spec.replicas ??= 1
  if (spec.template !== undefined) setPodTemplateDefaults(spec.template)
}
