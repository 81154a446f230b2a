import type { DaemonSet } from '@keelson/api/apps/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { formatLabels, setPodTemplateDefaults } from '@keelson/resources-core'
import { createContainerColumns, createSelectorColumn } from '../../workloads/columns.ts'
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
      description: 'Number of nodes that should run the pod.',
      value: ({ status }) => status?.desiredNumberScheduled ?? 0,
    },
    {
      name: 'Current',
      type: 'integer',
      description: 'Number of those nodes that run it.',
      value: ({ status }) => status?.currentNumberScheduled ?? 0,
    },
    { name: 'Ready', type: 'integer', description: 'Number of nodes with a ready pod.', value: ({ status }) => status?.numberReady ?? 0 },
    {
      name: 'Up-to-date',
      type: 'integer',
      description: 'Number of nodes with a pod of the newest template.',
      value: ({ status }) => status?.updatedNumberScheduled ?? 0,
    },
    {
      name: 'Available',
      type: 'integer',
      description: 'Number of nodes with an available pod.',
      value: ({ status }) => status?.numberAvailable ?? 0,
    },
    {
      name: 'Node Selector',
      description: 'Labels that select the nodes.',
      value: ({ spec }) => formatLabels(spec?.template?.spec?.nodeSelector),
    },
    ...createContainerColumns<DaemonSet>(({ spec }) => spec?.template),
    createSelectorColumn<DaemonSet>(({ spec }) => spec?.selector),
  ],
  subresources: { status: daemonSetStatus },
})

function setDaemonSetDefaults(set: DaemonSet): void {
  const spec = (set.spec ??= { selector: null, template: {} })
  const strategy = (spec.updateStrategy ??= {})
  strategy.type ||= 'RollingUpdate'
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {})
    rollingUpdate.maxUnavailable ??= 1
    rollingUpdate.maxSurge ??= 0
  }
  spec.revisionHistoryLimit ??= 10
  setPodTemplateDefaults((spec.template ??= {}))
  normalizeTemplateGeneration(set)
}
