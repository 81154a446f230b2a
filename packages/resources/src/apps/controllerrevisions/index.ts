import type { ControllerRevision } from '@keelson/api/apps/v1'
import { fieldError, newFieldPath, parseGroupVersion, validateImmutableField, validateNonNegative } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, OwnerReference } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'

type ReadonlyRevision = DeepReadonly<ControllerRevision>

const dataPath = newFieldPath('data')

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
  return validateNonNegative(revision, newFieldPath('revision'))
}

function validateData({ data }: ReadonlyRevision): FieldErrorList {
  if (data === undefined || data === null) return [fieldError.required(dataPath, 'data is mandatory')]
  if (typeof data !== 'object' || Array.isArray(data)) return [fieldError.required(dataPath, 'data must be a valid JSON object')]
  return []
}

/** Formats the controlling owner like "statefulset.apps/web"; "<none>" if there is no such owner. */
function formatController(owners: readonly DeepReadonly<OwnerReference>[] = []): string {
  const owner = owners.find(({ controller }) => controller === true)
  if (owner === undefined) return '<none>'
  const { group } = parseGroupVersion(owner.apiVersion)
  return `${(group === '' ? owner.kind : `${owner.kind}.${group}`).toLowerCase()}/${owner.name}`
}
