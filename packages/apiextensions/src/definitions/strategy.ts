import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { copyObject, parseTime, equalsSemantically } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { validateInSlices } from '@keelson/registry'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { setCondition } from './conditions.ts'
import type { ConditionState } from './conditions.ts'
import { findStorageVersion, newDefinitionStatus } from './defaults.ts'
import { findFormatWarnings } from './format-warnings.ts'
import { validateDefinition, validateDefinitionStatus, validateDefinitionUpdate } from './validate-definition.ts'

export const definitionStrategy: Strategy<CustomResourceDefinition> = {
  allowUnconditionalUpdate: false,
  repeatedMetadataChecks: 'none',
  runValidation: validateInSlices,
  resetFields: withoutFields('status'),
  prepareForCreate(_context, definition) {
    definition.status = newDefinitionStatus()
    definition.metadata.generation = 1
    addStoredVersion(definition)
  },
  prepareForUpdate(_context, definition, old) {
    definition.status = copyObject(old.status ?? newDefinitionStatus()) as NonNullable<CustomResourceDefinition['status']>
    if (!equalsSemantically(definition.spec, old.spec)) definition.metadata.generation = (old.metadata.generation ?? 0) + 1
    addStoredVersion(definition)
  },
  validateCreate: (_context, definition, steps) => validateDefinition(definition, steps),
  warningsOnCreate: (_context, definition) => findFormatWarnings(definition),
  validateUpdate: (_context, definition, old, steps) => validateDefinitionUpdate(definition, old, steps),
  warningsOnUpdate: (_context, definition, old) => findFormatWarnings(definition, old),
}

export const definitionStatus: SubresourceStrategy<CustomResourceDefinition> = {
  tabled: false,
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate(_context, definition, old) {
      definition.spec = copyObject(old.spec) as CustomResourceDefinition['spec']
    },
    validateUpdate: (_context, definition) => validateDefinitionStatus(definition),
  },
}

/** Adds the storage version to `status.storedVersions`. */
function addStoredVersion(definition: CustomResourceDefinition): void {
  const version = findStorageVersion(definition)
  const status = definition.status!
  if (version === undefined || status.storedVersions?.includes(version)) return
  status.storedVersions = [...(status.storedVersions ?? []), version]
}

/** The finalizer that keeps a definition until its custom objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/** Adds the finalizer and the condition Terminating to a definition that is being deleted. */
export function beginDefinitionDeletion(definition: CustomResourceDefinition): void {
  const { metadata } = definition
  if (!metadata.finalizers?.includes(cleanupFinalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), cleanupFinalizer]
  const pending: ConditionState = {
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  }
  setCondition(definition, 'Terminating', pending, parseTime(metadata.deletionTimestamp!))
}
