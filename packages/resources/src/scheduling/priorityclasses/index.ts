import type { PriorityClass } from '@keelson/api/scheduling/v1'
import { newForbidden } from '@keelson/apimachinery'
import { ageColumn, defineResource, nameColumn } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { isSystemPriorityClass } from './system-classes.ts'
import { validatePriorityClass, validatePriorityClassUpdate } from './validate.ts'

const group = 'scheduling.k8s.io'

export const priorityClasses: ResourceDefinition<PriorityClass> = defineResource<PriorityClass>({
  group,
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  scope: 'Cluster',
  shortNames: ['pc'],
  setDefaults(priorityClass) {
    priorityClass.preemptionPolicy ??= 'PreemptLowerPriority'
  },
  strategy: {
    repeatedMetadataChecks: 'update',
    prepareForCreate(_context, { metadata }) {
      metadata.generation = 1
    },
    validateCreate: (_context, priorityClass) => validatePriorityClass(priorityClass),
    validateUpdate: (_context, priorityClass, old) => validatePriorityClassUpdate(priorityClass, old),
  },
  checkDelete(name) {
    if (!isSystemPriorityClass(name)) return
    throw newForbidden({ group, resource: 'priorityclasses' }, name, 'this is a system priority class and cannot be deleted')
  },
  allColumns: [
    nameColumn,
    { name: 'Value', type: 'integer', description: 'Priority of pods of this class.', value: ({ value }) => value },
    {
      name: 'Global-Default',
      type: 'boolean',
      description: 'True if pods without a class get this one.',
      value: ({ globalDefault = false }) => globalDefault,
    },
    ageColumn,
    {
      name: 'PreemptionPolicy',
      description: 'Preemption policy of pods of this class.',
      value: ({ preemptionPolicy = '' }) => preemptionPolicy,
    },
  ],
})
