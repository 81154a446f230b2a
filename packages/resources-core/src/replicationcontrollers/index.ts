import type { ReplicationController } from '@keelson/api/core/v1'
import { countObjects, defineResource } from '@keelson/registry'
import type { ResourceDefinition, ScaledBy } from '@keelson/registry'
import { formatContainerImages, formatContainerNames } from '../container-columns.ts'
import { formatLabels } from '../format-labels.ts'
import { setPodTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { copyTemplateLabels, hasNoLabels, templateLabelsOnRead } from '../template-labels.ts'
import { replicationControllerStatus, replicationControllerStrategy } from './strategy.ts'

const scaledReplicationControllers: ScaledBy<ReplicationController> = {
  replicasPath: 'spec.replicas',
  getReplicas: ({ spec }) => spec?.replicas ?? 0,
  setReplicas: (controller, replicas) => void (controller.spec = { ...controller.spec, replicas }),
  getStatusReplicas: ({ status }) => status?.replicas ?? 0,
  formatSelector: ({ spec }) =>
    Object.entries(spec?.selector ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(','),
}

export const replicationControllers: ResourceDefinition<ReplicationController> = defineResource<ReplicationController>({
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  storage: { prefix: 'controllers', defaultOnRead: templateLabelsOnRead },
  scope: 'Namespaced',
  shortNames: ['rc'],
  categories: ['all'],
  setDefaults: setReplicationControllerDefaults,
  quota: countObjects({ group: '', resource: 'replicationcontrollers' }, 'replicationcontrollers'),
  strategy: replicationControllerStrategy,
  selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
  columns: [
    { name: 'Desired', type: 'integer', description: 'Desired number of pods.', value: ({ spec }) => spec?.replicas ?? 0 },
    { name: 'Current', type: 'integer', description: 'Actual number of pods.', value: ({ status }) => status?.replicas ?? 0 },
    { name: 'Ready', type: 'integer', description: 'Number of ready pods.', value: ({ status }) => status?.readyReplicas ?? 0 },
    {
      name: 'Containers',
      priority: 1,
      description: 'Names of the containers.',
      value: ({ spec }) => formatContainerNames(spec?.template),
    },
    { name: 'Images', priority: 1, description: 'Images of the containers.', value: ({ spec }) => formatContainerImages(spec?.template) },
    { name: 'Selector', priority: 1, description: 'Selector of its pods.', value: ({ spec }) => formatLabels(spec?.selector) },
  ],
  subresources: { status: replicationControllerStatus },
  scale: scaledReplicationControllers,
})

/** Sets defaults of a ReplicationController. Labels and selector default to the labels of the pod template. */
export function setReplicationControllerDefaults(controller: ReplicationController): void {
  const spec = (controller.spec ??= {})
  const labels = spec.template?.metadata?.labels
  if (labels !== undefined && hasNoLabels(spec.selector)) spec.selector = { ...labels }
  copyTemplateLabels(controller)
  spec.replicas ??= 1
  if (spec.template !== undefined) setPodTemplateDefaults(spec.template)
}
