import type { DaemonSet } from '@keelson/api/apps/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { labelsText } from '@keelson/resources-core'
import { containerColumns, selectorColumn } from '../../workloads/columns.ts'
import { setDaemonSetDefaults } from './defaults.ts'
import { daemonSetStatus, daemonSetStrategy } from './strategy.ts'
import { normalizeTemplateGeneration, templateGenerationAnnotation } from './template-generation.ts'

export const daemonSets: ResourceDefinition<DaemonSet> = defineResource<DaemonSet>({
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  scope: 'Namespaced',
  shortNames: ['ds'],
  categories: ['all'],
  setDefaults: setDaemonSetDefaults,
  strategy: daemonSetStrategy,
  specAnnotations: [templateGenerationAnnotation],
  fillBlank: normalizeTemplateGeneration,
  columns: [
    {
      name: 'Desired',
      type: 'integer',
      description: 'How many nodes should have the pod.',
      value: ({ status }) => status?.desiredNumberScheduled ?? 0,
    },
    {
      name: 'Current',
      type: 'integer',
      description: 'How many of them have it.',
      value: ({ status }) => status?.currentNumberScheduled ?? 0,
    },
    { name: 'Ready', type: 'integer', description: 'On how many it is ready.', value: ({ status }) => status?.numberReady ?? 0 },
    {
      name: 'Up-to-date',
      type: 'integer',
      description: 'On how many it is of the newest template.',
      value: ({ status }) => status?.updatedNumberScheduled ?? 0,
    },
    {
      name: 'Available',
      type: 'integer',
      description: 'On how many it has been ready long enough.',
      value: ({ status }) => status?.numberAvailable ?? 0,
    },
    {
      name: 'Node Selector',
      description: 'The labels of those nodes.',
      value: ({ spec }) => labelsText(spec?.template?.spec?.nodeSelector),
    },
    ...containerColumns<DaemonSet>(({ spec }) => spec?.template),
    selectorColumn<DaemonSet>(({ spec }) => spec?.selector),
  ],
  subresources: { status: daemonSetStatus },
})
