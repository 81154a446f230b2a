import type { PodTemplate } from '@keelson/api/core/v1'
import { newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import { defineResource, nameColumn } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { formatContainerImages, formatContainerNames } from '../container-columns.ts'
import { formatLabels } from '../format-labels.ts'
import { dropDisabledPodFields } from '../pod-spec/drop-disabled-fields.ts'
import { setPodTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { findPodWarnings } from '../pod-spec/pod-warnings.ts'
import { validatePodTemplateSpec } from '../pod-spec/validate-pod-template.ts'

const templatePath = newFieldPath('template')

export const podTemplates: ResourceDefinition<PodTemplate> = defineResource<PodTemplate>({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  scope: 'Namespaced',
  returnsDeletedObject: true,
  setDefaults: setPodTemplateObjectDefaults,
  strategy: {
    repeatedMetadataChecks: 'update',
    prepareForCreate(_context, { metadata, template }) {
      metadata.generation = 1
      if (template?.spec !== undefined) dropDisabledPodFields(template.spec)
    },
    validateCreate: (_context, { template = {} }) => validatePodTemplateSpec(template, templatePath),
    warningsOnCreate: (_context, { template = {} }) => findPodWarnings(template, templatePath),
    prepareForUpdate(_context, { metadata, template }, old) {
      if (template?.spec !== undefined) dropDisabledPodFields(template.spec, old.template?.spec)
      if (!equalsSemantically(template, old.template)) metadata.generation = (old.metadata.generation ?? 0) + 1
    },
    validateUpdate: (_context, { template = {} }, old) => validatePodTemplateSpec(template, templatePath, old.template),
    warningsOnUpdate: (_context, { metadata, template = {} }, old) =>
      metadata.generation === old.metadata.generation ? [] : findPodWarnings(template, templatePath),
  },
  allColumns: [
    nameColumn,
    { name: 'Containers', description: 'Names of the containers.', value: ({ template }) => formatContainerNames(template) },
    { name: 'Images', description: 'Images of the containers.', value: ({ template }) => formatContainerImages(template) },
    { name: 'Pod Labels', description: 'Labels of the pods.', value: ({ template }) => formatLabels(template?.metadata?.labels) },
  ],
})

function setPodTemplateObjectDefaults(object: PodTemplate): void {
  setPodTemplateDefaults((object.template ??= {}))
}
