import type { ControllerRevision } from '@keelson/api/apps/v1'
import { fieldError, fieldPath, validateImmutableField, validateNonNegative } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { formatController } from './format-controller.ts'

type ReadonlyRevision = DeepReadonly<ControllerRevision>

const dataPath = fieldPath('data')

export const controllerRevisions: ResourceDefinition<ControllerRevision> = defineResource<ControllerRevision>({
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  scope: 'Namespaced',
  strategy: {
    validateCreate: (_context, revision) => [...validateNumber(revision), ...validateData(revision)],
    validateUpdate: (_context, revision, old) => [
      ...validateNumber(revision),
      ...validateImmutableField(revision.data ?? null, old.data ?? null, dataPath),
    ],
  },
  columns: [
    { name: 'Controller', description: 'Owner of this state.', value: ({ metadata }) => formatController(metadata.ownerReferences) },
    { name: 'Revision', description: 'Number of this state; newer states have higher numbers.', value: ({ revision }) => revision },
  ],
})

function validateNumber({ revision }: ReadonlyRevision): FieldErrorList {
  return validateNonNegative(revision, fieldPath('revision'))
}

function validateData({ data }: ReadonlyRevision): FieldErrorList {
  if (data === undefined || data === null) return [fieldError.required(dataPath, 'data is mandatory')]
  if (typeof data !== 'object' || Array.isArray(data)) return [fieldError.required(dataPath, 'data must be a valid JSON object')]
  return []
}
