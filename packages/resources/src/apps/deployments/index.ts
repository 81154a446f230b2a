import type { Deployment } from '@keelson/api/apps/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { setPodTemplateDefaults } from '@keelson/resources-core'
import { createContainerColumns } from '../../workloads/columns.ts'
import { parseSelector } from '../../workloads/workload-selector.ts'
import { fillBlankReplicas } from '../blank-replicas.ts'
import { describeScaleBySelector } from '../scaled-by-selector.ts'
import { normalizeRollback, rollbackAnnotation } from './rollback-annotation.ts'
import { deploymentStatus, deploymentStrategy } from './strategy.ts'

export const deployments: ResourceDefinition<Deployment> = defineResource<Deployment>({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  scope: 'Namespaced',
  shortNames: ['deploy'],
  categories: ['all'],
  setDefaults: setDeploymentDefaults,
  strategy: deploymentStrategy,
  specAnnotations: [rollbackAnnotation],
  fillBlank: fillBlankReplicas,
  columns: [
    {
      name: 'Ready',
      description: 'Number of ready pods and of desired pods.',
      value: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    },
    {
      name: 'Up-to-date',
      description: 'Number of pods of the newest template.',
      value: ({ status }) => status?.updatedReplicas ?? 0,
    },
    {
      name: 'Available',
      description: 'Number of available pods.',
      value: ({ status }) => status?.availableReplicas ?? 0,
    },
    ...createContainerColumns<Deployment>(({ spec }) => spec?.template),
    {
      name: 'Selector',
      priority: 1,
      description: 'Label selector of its pods.',
      value: ({ spec }) => parseSelector(spec?.selector)?.toString() ?? '<invalid>',
    },
  ],
  subresources: { status: deploymentStatus },
  scale: describeScaleBySelector<Deployment>(),
})

function setDeploymentDefaults(deployment: Deployment): void {
  const spec = (deployment.spec ??= { selector: null, template: {} })
  spec.replicas ??= 1
  const strategy = (spec.strategy ??= {})
  strategy.type ||= 'RollingUpdate'
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {})
    rollingUpdate.maxUnavailable ??= '25%'
    rollingUpdate.maxSurge ??= '25%'
  }
  spec.revisionHistoryLimit ??= 10
  spec.progressDeadlineSeconds ??= 600
  setPodTemplateDefaults((spec.template ??= {}))
  normalizeRollback(deployment)
}
