import type { ReplicaSet } from '@keelson/api/apps/v1'
import { newFieldPath } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { keepMember, findPodNameWarnings, setPodTemplateDefaults } from '@keelson/resources-core'
import { createContainerColumns, createSelectorColumn } from '../../workloads/columns.ts'
import { countSpecChanges, dropDisabledTemplateFields, isNewGeneration, findTemplateWarnings } from '../../workloads/template-hooks.ts'
import { fillBlankReplicas } from '../blank-replicas.ts'
import { describeScaleBySelector } from '../scaled-by-selector.ts'
import { validateReplicaSet, validateReplicaSetStatus, validateReplicaSetUpdate } from './validate.ts'

const templatePath = newFieldPath('spec', 'template')

export const replicaSets: ResourceDefinition<ReplicaSet> = defineResource<ReplicaSet>({
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  scope: 'Namespaced',
  shortNames: ['rs'],
  categories: ['all'],
  setDefaults(set) {
    const spec = (set.spec ??= { selector: null })
    spec.replicas ??= 1
    setPodTemplateDefaults((spec.template ??= {}))
  },
  strategy: {
    resetFields: withoutFields('status'),
    repeatedMetadataChecks: 'update',
    prepareForCreate(_context, set) {
      set.status = { replicas: 0 }
      set.metadata.generation = 1
      dropDisabledTemplateFields(set.spec?.template)
    },
    validateCreate: (_context, set) => validateReplicaSet(set),
    warningsOnCreate: (_context, { metadata, spec }) => [
      ...findPodNameWarnings(metadata.name ?? ''),
      ...findTemplateWarnings(spec?.template, templatePath),
    ],
    prepareForUpdate(_context, set, old) {
      keepMember(set, old, 'status')
      dropDisabledTemplateFields(set.spec?.template, old.spec?.template)
      countSpecChanges(set, old)
    },
    validateUpdate: (_context, set, old) => validateReplicaSetUpdate(set, old),
    warningsOnUpdate: (_context, set, old) => (isNewGeneration(set, old) ? findTemplateWarnings(set.spec?.template, templatePath) : []),
  },
  fillBlank: fillBlankReplicas,
  columns: [
    { name: 'Desired', type: 'integer', description: 'Desired number of pods.', value: ({ spec }) => spec?.replicas ?? 0 },
    { name: 'Current', type: 'integer', description: 'Actual number of pods.', value: ({ status }) => status?.replicas ?? 0 },
    { name: 'Ready', type: 'integer', description: 'Number of ready pods.', value: ({ status }) => status?.readyReplicas ?? 0 },
    ...createContainerColumns<ReplicaSet>(({ spec }) => spec?.template),
    createSelectorColumn<ReplicaSet>(({ spec }) => spec?.selector),
  ],
  subresources: {
    status: {
      update: {
        resetFields: withoutFields('spec'),
        prepareForUpdate: (_context, set, old) => keepMember(set, old, 'spec'),
        validateUpdate: (_context, set) => validateReplicaSetStatus(set),
      },
    },
  },
  scale: describeScaleBySelector<ReplicaSet>(),
})
