import type { DaemonSet } from '@keelson/api/apps/v1'
import { newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '@keelson/resources-core'
import { dropDisabledTemplateFields, findTemplateWarnings } from '../../workloads/template-hooks.ts'
import { setTemplateGeneration, readTemplateGeneration } from './template-generation.ts'
import { validateDaemonSet, validateDaemonSetStatus, validateDaemonSetUpdate } from './validate.ts'

const templatePath = newFieldPath('spec', 'template')

export const daemonSetStrategy: Strategy<DaemonSet> = {
  resetFields: withoutFields('status'),
  repeatedMetadataChecks: 'update',
  prepareForCreate(_context, set) {
    set.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }
    set.metadata.generation = 1
    if (readTemplateGeneration(set) < 1) setTemplateGeneration(set, 1)
    dropDisabledTemplateFields(set.spec?.template)
  },
  validateCreate: (_context, set) => validateDaemonSet(set),
  warningsOnCreate: (_context, { spec }) => findTemplateWarnings(spec?.template, templatePath),
  prepareForUpdate(_context, set, old) {
    dropDisabledTemplateFields(set.spec?.template, old.spec?.template)
    keepMember(set, old, 'status')
    const isNewTemplate = !equalsSemantically(set.spec?.template, old.spec?.template)
    setTemplateGeneration(set, readTemplateGeneration(old) + (isNewTemplate ? 1 : 0))
    if (!equalsSemantically(set.spec, old.spec)) set.metadata.generation = (old.metadata.generation ?? 0) + 1
  },
  validateUpdate: (_context, set, old) => validateDaemonSetUpdate(set, old),
  warningsOnUpdate: (_context, set, old) =>
    readTemplateGeneration(set) === readTemplateGeneration(old) ? [] : findTemplateWarnings(set.spec?.template, templatePath),
}

export const daemonSetStatus: SubresourceStrategy<DaemonSet> = {
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate(_context, set, old) {
      keepMember(set, old, 'spec')
      setTemplateGeneration(set, readTemplateGeneration(old))
    },
    validateUpdate: (_context, set, old) => validateDaemonSetStatus(set, old),
  },
}
