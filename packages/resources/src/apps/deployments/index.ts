import type { Deployment } from '@keelson/api/apps/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { containerColumns } from '../../workloads/columns.ts'
import { parseSelector } from '../../workloads/own-selector.ts'
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
      description: 'How many of the pods are ready.',
      value: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    },
    {
      name: 'Up-to-date',
      description: 'How many are of the newest template.',
      value: ({ status }) => status?.updatedReplicas ?? 0,
    },
    {
      name: 'Available',
      description: 'How many have been ready long enough.',
      value: ({ status }) => status?.availableReplicas ?? 0,
    },
    ...containerColumns<Deployment>(({ spec }) => spec?.template),
    {
      name: 'Selector',
      priority: 1,
      description: 'The labels it finds its pods by.',
      value: ({ spec }) => parseSelector(spec?.selector)?.toString() ?? '<invalid>',
    },
  ],
  subresources: { status: deploymentStatus },
  scale: scaledBySelector<Deployment>(),
})
