import type { PersistentVolumeSpec } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateAccessModes } from '../pod-spec/validate-claim-spec.ts'
import { validatePersistentVolumeSource } from './validate-source.ts'

const context = 'in the context of inline volumes'

/** Validates the inline volume spec of a VolumeAttachment, for volumes without a PersistentVolume object. */
export function validateInlineVolumeSpec(spec: DeepReadonly<PersistentVolumeSpec>, path: FieldPath): FieldErrorList {
  const { accessModes = [], persistentVolumeReclaimPolicy: policy = '', volumeMode = 'Filesystem' } = spec
  const forbidIf = (condition: boolean, member: string, detail = `may not be specified ${context}`): FieldErrorList =>
    condition ? [fieldError.forbidden(path.child(member), detail)] : []
  return [
    ...forbidIf(spec.claimRef !== undefined, 'claimRef'),
    ...forbidIf(Object.keys(spec.capacity ?? {}).length > 0, 'capacity'),
    ...(spec.csi === undefined ? [fieldError.required(path.child('csi'), `has to be specified ${context}`)] : []),
    ...(accessModes.length === 0 ? [fieldError.required(path.child('accessModes'))] : []),
    ...validateAccessModes(accessModes, path.child('accessModes')),
    ...forbidIf(policy !== '' && policy !== 'Retain', 'persistentVolumeReclaimPolicy', `may only be Retain ${context}`),
    ...forbidIf(spec.nodeAffinity !== undefined, 'nodeAffinity'),
    ...validatePersistentVolumeSource(spec, '', path),
    ...forbidIf((spec.storageClassName ?? '') !== '', 'storageClassName'),
    ...forbidIf(volumeMode !== 'Filesystem', 'volumeMode', `may not specify volumeMode other than Filesystem ${context}`),
  ]
}
