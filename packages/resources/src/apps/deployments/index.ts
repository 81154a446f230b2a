import type { Deployment } from '@keelson/api/apps/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { containerColumns } from '../../workloads/columns.ts'
import { parseSelector } from '../../workloads/workload-selector.ts'
import { fillBlankReplicas } from '../blank-replicas.ts'
import { scaledBySelector } from '../scaled-by-selector.ts'
import { setDeploymentDefaults } from './defaults.ts'
import { rollbackAnnotation } from './rollback-annotation.ts'
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
    ...containerColumns<Deployment>(({ spec }) => spec?.template),
    {
      name: 'Selector',
      priority: 1,
      description: 'Label selector of its pods.',
      value: ({ spec }) => parseSelector(spec?.selector)?.toString() ?? '<invalid>',
    },
  ],
  subresources: { status: deploymentStatus },
  scale: scaledBySelector<Deployment>(),
})
