import type { PersistentVolume, PersistentVolumeSource, PersistentVolumeSpec } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, isValidLabelValue, parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateSupported } from '../pod-spec/field-rules.ts'
import { validatePositiveQuantity } from '../pod-spec/resource-quantities.ts'
import { validateAccessModes, validateClassName, volumeModes } from '../pod-spec/validate-claim-spec.ts'
import { validateNodeSelector } from '../pod-spec/validate-node-affinity.ts'
import { printMap } from '../print-map.ts'
import { validatePersistentVolumeSource } from './validate-source.ts'

type ReadonlyVolume = DeepReadonly<PersistentVolume>
type ReadonlySpec = DeepReadonly<PersistentVolumeSpec>

const specPath = newFieldPath('spec')
const reclaimPolicies = ['Delete', 'Recycle', 'Retain']
const mountOptionAnnotation = 'volume.beta.kubernetes.io/mount-options'

/** Volume sources that support mount options. */
const sourcesWithMountOptions: readonly (keyof PersistentVolumeSource)[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
]

/**
 * Validates a PersistentVolume. On an update, values that `old` already had stay valid, even if a create would reject them (ratcheting).
 */
export function validatePersistentVolume(volume: ReadonlyVolume, old?: ReadonlyVolume): FieldErrorList {
  return [...validateVolumeSpec(volume, old), ...validateMountOptions(volume)]
}

export function validateVolumeSpec({ metadata, spec = {} }: ReadonlyVolume, old?: ReadonlyVolume): FieldErrorList {
  const modes = spec.accessModes ?? []
  return [
    ...(modes.length === 0 ? [fieldError.required(specPath.child('accessModes'))] : []),
    ...validateAccessModes(modes, specPath.child('accessModes')),
    ...validateCapacity(spec, specPath.child('capacity')),
    ...validateSupported(spec.persistentVolumeReclaimPolicy, reclaimPolicies, specPath.child('persistentVolumeReclaimPolicy')),
    ...validateAffinity(spec, old?.spec),
    ...validatePersistentVolumeSource(spec, metadata.name ?? '', specPath),
    ...validateRecycling(spec),
    ...validateClassName(spec.storageClassName, specPath.child('storageClassName')),
    ...validateSupported(spec.volumeMode, volumeModes, specPath.child('volumeMode')),
    ...validateAttributesClass(spec, specPath),
  ]
}

function validateCapacity(spec: ReadonlySpec, path: FieldPath): FieldErrorList {
  const { capacity } = spec
  const amounts = Object.entries(capacity ?? {})
  const errors = amounts.length === 0 ? [fieldError.required(path)] : []
  if (capacity?.['storage'] === undefined || amounts.length > 1) {
    errors.push(fieldError.notSupported(path, printMap(spec, 'capacity'), ['storage']))
  }
  for (const [name, text] of amounts) {
    const quantity = parseQuantity(text)
    const at = path.key(name)
    if (quantity.value() < 0n) errors.push(fieldError.invalid(at, quantity.value(), 'must be a valid resource quantity'))
    errors.push(...validatePositiveQuantity(quantity, at))
  }
  return errors
}

function validateAffinity({ nodeAffinity }: ReadonlySpec, old: ReadonlySpec | undefined): FieldErrorList {
  if (nodeAffinity === undefined) return []
  const path = specPath.child('nodeAffinity', 'required')
  if (nodeAffinity.required === undefined) return [fieldError.required(path, 'must specify required node constraints')]
  return validateNodeSelector(nodeAffinity.required, { allowInvalidLabelValues: hasInvalidLabelValue(old) }, path)
}

function hasInvalidLabelValue(spec: ReadonlySpec | undefined): boolean {
  const expressions = (spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term) => term.matchExpressions ?? [])
  return expressions.some(({ values }) => (values ?? []).some((value) => isValidLabelValue(value).length > 0))
}

/** Rejects the reclaim policy Recycle for the root directory, because recycling deletes all files below the path. */
function validateRecycling({ hostPath, persistentVolumeReclaimPolicy: policy }: ReadonlySpec): FieldErrorList {
  if (hostPath === undefined || policy !== 'Recycle' || !isRoot(hostPath.path)) return []
  const detail = "may not be 'recycle' for a hostPath mount of '/'"
  return [fieldError.forbidden(specPath.child('persistentVolumeReclaimPolicy'), detail)]
}

function isRoot(path: string): boolean {
  let depth = 0
  for (const step of path.split('/')) {
    if (step === '..') depth = Math.max(0, depth - 1)
    else if (step !== '' && step !== '.') depth++
  }
  return path.startsWith('/') && depth === 0
}

function validateAttributesClass({ volumeAttributesClassName: name, csi }: ReadonlySpec, specPath: FieldPath): FieldErrorList {
  if (name === undefined) return []
  const path = specPath.child('volumeAttributesClassName')
  const errors = name === '' ? [fieldError.required(path, 'an empty string is disallowed')] : validateClassName(name, path)
  if (csi === undefined) {
    errors.push(fieldError.required(specPath.child('csi'), 'has to be specified when using volumeAttributesClassName'))
  }
  return errors
}

function validateMountOptions({ metadata, spec }: ReadonlyVolume): FieldErrorList {
  if (metadata.annotations?.[mountOptionAnnotation] === undefined) return []
  if (sourcesWithMountOptions.some((member) => spec?.[member] !== undefined)) return []
  const path = newFieldPath('metadata', 'annotations', mountOptionAnnotation)
  return [fieldError.forbidden(path, 'may not specify mount options for this volume type')]
}
