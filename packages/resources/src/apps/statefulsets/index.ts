import type { StatefulSet } from '@keelson/api/apps/v1'
import { nameIsDNSLabel } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { createContainerColumns } from '../../workloads/columns.ts'
import { fillBlankReplicas } from '../blank-replicas.ts'
import { describeScaleBySelector } from '../scaled-by-selector.ts'
import { setStatefulSetDefaults } from './defaults.ts'
import { statefulSetStatus, statefulSetStrategy } from './strategy.ts'

export const statefulSets: ResourceDefinition<StatefulSet> = defineResource<StatefulSet>({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  scope: 'Namespaced',
  shortNames: ['sts'],
  categories: ['all'],
  // Pods get this name plus an ordinal, which must be a DNS label.
  validateName: nameIsDNSLabel,
  setDefaults: setStatefulSetDefaults,
  strategy: statefulSetStrategy,
  fillBlank: fillBlankReplicas,
  columns: [
    {
      name: 'Ready',
      description: 'Number of ready pods and of desired pods.',
      value: ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    },
    ...createContainerColumns<StatefulSet>(({ spec }) => spec?.template),
  ],
  subresources: { status: statefulSetStatus },
  scale: describeScaleBySelector<StatefulSet>(),
})
