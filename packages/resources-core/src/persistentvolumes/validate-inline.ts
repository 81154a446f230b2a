import type { PersistentVolumeSpec } from '@keelson/api/core/v1'
import { fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateAccessModes } from '../pod-spec/validate-claim-spec.ts'
import { validatePersistentVolumeSource } from './validate-source.ts'

const context = 'in the context of inline volumes'

/** Of a volume that is no object of its own: an attachment of what a pod names itself. */
export function validateInlineVolumeSpec(spec: DeepReadonly<PersistentVolumeSpec>, path: FieldPath): FieldErrorList {
  const { accessModes = [], persistentVolumeReclaimPolicy: policy = '', volumeMode = 'Filesystem' } = spec
  const forbid = (is: boolean, member: string, detail = `may not be specified ${context}`): FieldErrorList =>
    is ? [fieldError.forbidden(path.child(member), detail)] : []
  return [
    ...forbid(spec.claimRef !== undefined, 'claimRef'),
    ...forbid(Object.keys(spec.capacity ?? {}).length > 0, 'capacity'),
    ...(spec.csi === undefined ? [fieldError.required(path.child('csi'), `has to be specified ${context}`)] : []),
    ...(accessModes.length === 0 ? [fieldError.required(path.child('accessModes'))] : []),
    ...validateAccessModes(accessModes, path.child('accessModes')),
    ...forbid(policy !== '' && policy !== 'Retain', 'persistentVolumeReclaimPolicy', `may only be Retain ${context}`),
    ...forbid(spec.nodeAffinity !== undefined, 'nodeAffinity'),
    ...validatePersistentVolumeSource(spec, '', path),
    ...forbid((spec.storageClassName ?? '') !== '', 'storageClassName'),
    ...forbid(volumeMode !== 'Filesystem', 'volumeMode', `may not specify volumeMode other than Filesystem ${context}`),
  ]
}
