import { coreV1 } from '@keelson/api/core/v1'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@keelson/api/core/v1'
import {
  copyWithEmptyMarks,
  fieldError,
  newFieldPath,
  immutableMessage,
  parseQuantity,
  equalsSemantically,
  validateImmutableField,
  validateLabelSelector,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { toInternalStruct } from '../internal-structs/to-internal-struct.ts'
import { formatLineDiff } from '../line-diff.ts'
import { validateClaimSpec } from '../pod-spec/validate-claim-spec.ts'
import { storageClassAnnotation } from '../storage-class-name.ts'
import { syncDataSources } from './data-sources.ts'

type ReadonlyClaim = DeepReadonly<PersistentVolumeClaim>
type ReadonlySpec = DeepReadonly<PersistentVolumeClaimSpec>

const specPath = newFieldPath('spec')
const sizePath = specPath.child('resources', 'requests', 'storage')
const attributesClassPath = specPath.child('volumeAttributesClassName')

/**
 * Validates an update of a claim. The spec is immutable, with two exceptions. Volume and class can be set later, and a bound claim can
 * request more storage.
 */
export function validateClaimUpdate(claim: ReadonlyClaim, old: ReadonlyClaim): FieldErrorList {
  const { spec = {} } = claim
  const { spec: oldSpec = {} } = old
  const errors = [
    ...validateClaimSpec(spec, specPath, {
      allowInvalidAPIGroups: [oldSpec.dataSource, oldSpec.dataSourceRef].some((source) => (source?.apiGroup ?? null) !== null),
      allowInvalidSelectorValues: validateLabelSelector(oldSpec.selector, newFieldPath()).length > 0,
    }),
    ...validateClassAnnotation(claim, old),
  ]
  const [before, after] = toComparableSpecs(claim, old)
  if (!equalsSemantically(after, before)) {
    const diff = formatLineDiff(
      toInternalStruct(coreV1.table.resolve('PersistentVolumeClaimSpec'), before),
      toInternalStruct(coreV1.table.resolve('PersistentVolumeClaimSpec'), after),
    )
    const detail = `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${diff}`
    errors.push(fieldError.forbidden(specPath, detail))
  }
  return [
    ...errors,
    ...validateSize(claim, old),
    ...validateImmutableField(spec.volumeMode, oldSpec.volumeMode, newFieldPath('volumeMode')),
    ...validateAttributesClass(spec, old),
  ]
}

/** Returns whether the update moves the storage class from the annotation to the field without changing its value. */
function isClassMoved({ metadata, spec }: ReadonlyClaim, old: ReadonlyClaim): boolean {
  const annotated = old.metadata.annotations?.[storageClassAnnotation]
  const annotation = metadata.annotations?.[storageClassAnnotation]
  if (annotated === undefined || old.spec?.storageClassName !== undefined) return false
  return spec?.storageClassName === annotated && (annotation === undefined || annotation === annotated)
}

function validateClassAnnotation(claim: ReadonlyClaim, old: ReadonlyClaim): FieldErrorList {
  if (isClassMoved(claim, old)) return []
  const value = claim.metadata.annotations?.[storageClassAnnotation] ?? ''
  if (value === (old.metadata.annotations?.[storageClassAnnotation] ?? '')) return []
  return [fieldError.invalid(newFieldPath('metadata', 'annotations', storageClassAnnotation), value, immutableMessage)]
}

/** Returns copies of both specs for the comparison. Fields that are mutable have the same value in both copies. */
function toComparableSpecs(claim: ReadonlyClaim, old: ReadonlyClaim): [PersistentVolumeClaimSpec, PersistentVolumeClaimSpec] {
  const before = copyWithEmptyMarks(old.spec ?? {}) as PersistentVolumeClaimSpec
  const after = copyWithEmptyMarks(claim.spec ?? {}) as PersistentVolumeClaimSpec
  syncDataSources(before)
  if (!before.volumeName && after.volumeName !== undefined) before.volumeName = after.volumeName
  const annotated = old.metadata.annotations?.[storageClassAnnotation]
  const isNew = before.storageClassName === undefined && after.storageClassName !== undefined
  if (isNew && (annotated === undefined || annotated === after.storageClassName)) delete after.storageClassName
  if (claim.status?.phase !== 'Bound') return [before, after]
  const size = before.resources?.requests?.['storage']
  if (after.resources?.requests !== undefined) after.resources.requests['storage'] = size ?? '0'
  if (before.volumeAttributesClassName === undefined) delete after.volumeAttributesClassName
  else after.volumeAttributesClassName = before.volumeAttributesClassName
  return [before, after]
}

/** Validates a change of the requested size. A smaller request is allowed after a failed expansion if it exceeds the actual capacity. */
function validateSize(claim: ReadonlyClaim, old: ReadonlyClaim): FieldErrorList {
  const size = parseQuantity(claim.spec?.resources?.requests?.['storage'] ?? '0')
  const oldSize = parseQuantity(old.spec?.resources?.requests?.['storage'] ?? '0')
  const capacity = parseQuantity(old.status?.capacity?.['storage'] ?? '0')
  if (size.compare(oldSize) >= 0 || size.compare(capacity) > 0) return []
  return [fieldError.forbidden(sizePath, 'field can not be less than status.capacity')]
}

function validateAttributesClass({ volumeAttributesClassName: name }: ReadonlySpec, old: ReadonlyClaim): FieldErrorList {
  if (name === old.spec?.volumeAttributesClassName || old.status?.currentVolumeAttributesClassName === undefined) return []
  const reason = 'is forbidden when status.currentVolumeAttributesClassName is not nil'
  if (name === undefined) return [fieldError.forbidden(attributesClassPath, `update to nil ${reason}`)]
  return name === '' ? [fieldError.forbidden(attributesClassPath, `update to empty string ${reason}`)] : []
}
