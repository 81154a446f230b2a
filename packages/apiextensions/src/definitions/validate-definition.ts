import {
  appendAll,
  fieldError,
  newFieldPath,
  nameIsDNSSubdomain,
  validateImmutableField,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'
import { approvalAnnotation, computeApproval } from './api-approval.ts'
import { newDefinitionRules, selectUpdateRules } from './definition-rules.ts'
import { decodeSchemas, toHubSpec } from './hub-spec.ts'
import type { Definition } from './hub-spec.ts'
import { runOnce } from './tasks.ts'
import { validateNames } from './validate-names.ts'
import { validateSpec } from './validate-spec.ts'

const metadataPath = newFieldPath('metadata')
const specPath = newFieldPath('spec')
const storedPath = newFieldPath('status', 'storedVersions')

/** Validates a new definition. */
export function validateDefinition(definition: Definition, steps?: ValidationSteps): FieldErrorList {
  const { metadata, spec } = definition
  const expected = `${spec.names.plural}.${spec.group}`
  const validateName = (name: string, prefix: boolean): readonly string[] => [
    ...nameIsDNSSubdomain(name, prefix),
    ...(name === expected ? [] : ['must be spec.names.plural+"."+spec.group']),
  ]
  const errors = validateObjectMeta(metadata, { namespaced: false, validateName })
  const hubSpec = runOnce(steps, () => decodeSchemas(toHubSpec(spec)))
  if (hubSpec === undefined) return errors
  appendAll(errors, validateSpec(hubSpec, specPath, { rules: newDefinitionRules, steps }))
  return [
    ...errors,
    ...validateDefinitionStatus(definition),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, undefined),
    ...validatePreserving(definition, undefined),
  ]
}

/** Validates an update of the spec and the metadata. */
export function validateDefinitionUpdate(definition: Definition, old: Definition, steps?: ValidationSteps): FieldErrorList {
  const { metadata, spec } = definition
  const errors = validateObjectMetaUpdate(metadata, old.metadata)
  const hubSpec = runOnce(steps, () => decodeSchemas(toHubSpec(spec)))
  const oldSpec = hubSpec && runOnce(steps, () => decodeSchemas(toHubSpec(old.spec)))
  const rules = oldSpec && selectUpdateRules([old, oldSpec], hubSpec, steps)
  if (rules === undefined) return errors
  appendAll(errors, validateSpec(hubSpec!, specPath, { rules, steps }))
  const names = specPath.child('names')
  return [
    ...errors,
    ...(rules.requiresSameNames
      ? [
          ...validateImmutableField(spec.scope, old.spec.scope, specPath.child('scope')),
          ...validateImmutableField(spec.names.kind, old.spec.names.kind, names.child('kind')),
        ]
      : []),
    ...validateImmutableField(spec.group, old.spec.group, specPath.child('group')),
    ...validateImmutableField(spec.names.plural, old.spec.names.plural, names.child('plural')),
    ...validateDefinitionStatus(definition),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, old),
    ...validatePreserving(definition, old),
  ]
}

export function validateDefinitionStatus({ status }: Definition): FieldErrorList {
  return validateNames(status?.acceptedNames ?? { plural: '', kind: '' }, newFieldPath('status', 'acceptedNames'))
}

function validateStoredVersions({ status, spec }: Definition): FieldErrorList {
  const stored = status?.storedVersions ?? []
  if (stored.length === 0) {
    return [fieldError.invalid(storedPath, status?.storedVersions ?? null, 'must have at least one stored version')]
  }
  const remaining = new Map(stored.map((version, i) => [version, i]))
  const errors: FieldErrorList = []
  for (const { name, storage } of spec.versions ?? []) {
    if (!remaining.delete(name) && storage) errors.push(fieldError.invalid(storedPath, stored, `must have the storage version ${name}`))
  }
  for (const [version, i] of remaining) {
    const detail = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`
    errors.push(fieldError.invalid(storedPath.index(i), version, detail))
  }
  return errors
}

/** Checks that an API in a group of the Kubernetes project has an approval. An update may keep the state of the stored definition. */
function validateApproval(definition: Definition, old: Definition | undefined): FieldErrorList {
  const approval = computeApproval(definition)
  if (approval === undefined || (old !== undefined && computeApproval(old)?.reason === approval.reason)) return []
  const path = metadataPath.child('annotations').key(approvalAnnotation)
  if (approval.reason === 'MissingAnnotation') return [fieldError.required(path, approval.message)]
  if (approval.reason !== 'InvalidAnnotation') return []
  return [fieldError.invalid(path, definition.metadata.annotations?.[approvalAnnotation] ?? '', approval.message)]
}

/** Rejects `preserveUnknownFields: true`, unless the stored definition already has it. */
function validatePreserving({ spec }: Definition, old: Definition | undefined): FieldErrorList {
  if (spec.preserveUnknownFields !== true || old?.spec.preserveUnknownFields === true) return []
  const detail = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [fieldError.invalid(specPath.child('preserveUnknownFields'), true, detail)]
}
