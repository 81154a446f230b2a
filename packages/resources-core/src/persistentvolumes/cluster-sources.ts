import type {
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  SecretReference,
  StorageOSPersistentVolumeSource,
} from '@keelson/api/core/v1'
import { measureUtf8Bytes, fieldError, formatInclusiveRangeMessage, nameIsDNSLabel } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateDNSLabel, validateDNSSubdomain, validateRequired } from '../pod-spec/field-rules.ts'
import { validateAzureFile, validateCinder } from '../pod-spec/volume-sources-cloud.ts'
import { isInitiatorName, validateCSIDriverName, validateGlusterfs, validateStorageOS } from '../pod-spec/volume-sources-network.ts'

// Validates volume sources that differ from those of pods. Persistent volumes are cluster-scoped, so their references include a namespace.

export function validateGlusterfsVolume(source: DeepReadonly<GlusterfsPersistentVolumeSource>, path: FieldPath): FieldErrorList {
  const errors = validateGlusterfs(source, path)
  const { endpointsNamespace: namespace } = source
  if (namespace === undefined) return errors
  const at = path.child('endpointsNamespace')
  if (namespace === '') {
    return [...errors, fieldError.invalid(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name')]
  }
  return [...errors, ...createInvalidErrors(nameIsDNSLabel(namespace, false), namespace, at)]
}

export function validateISCSIVolume(
  source: DeepReadonly<ISCSIPersistentVolumeSource>,
  path: FieldPath,
  volumeName: string,
): FieldErrorList {
  const { targetPortal = '', iqn = '', lun = 0, initiatorName } = source
  const errors = validateRequired(targetPortal, path.child('targetPortal'))
  if (initiatorName !== undefined && measureUtf8Bytes(`${volumeName}:${targetPortal}`) > 64) {
    const detail = 'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'
    errors.push(fieldError.invalid(path.child('targetportal'), targetPortal, detail))
  }
  if (iqn === '') errors.push(fieldError.required(path.child('iqn')))
  else errors.push(...validateInitiator(iqn, path.child('iqn')))
  if (lun < 0 || lun > 255) errors.push(fieldError.invalid(path.child('lun'), lun, formatInclusiveRangeMessage(0, 255)))
  if ((source.chapAuthDiscovery || source.chapAuthSession) && source.secretRef === undefined) {
    errors.push(fieldError.required(path.child('secretRef')))
  }
  if (source.secretRef !== undefined) errors.push(...validateRequired(source.secretRef.name, path.child('secretRef', 'name')))
  if (initiatorName !== undefined) errors.push(...validateInitiator(initiatorName, path.child('initiatorname')))
  return errors
}

function validateInitiator(name: string, path: FieldPath): FieldErrorList {
  return isInitiatorName(name) ? [] : [fieldError.invalid(path, name, 'must be valid format')]
}

export function validateCinderVolume(source: DeepReadonly<CinderPersistentVolumeSource>, path: FieldPath): FieldErrorList {
  return [...validateCinder(source, path), ...validateSecretNamespace(source.secretRef, path)]
}

export function validateStorageOSVolume(source: DeepReadonly<StorageOSPersistentVolumeSource>, path: FieldPath): FieldErrorList {
  const { secretRef, ...rest } = source
  const withSecretName = secretRef === undefined ? rest : { ...rest, secretRef: { name: secretRef.name ?? '' } }
  return [...validateStorageOS(withSecretName, path), ...validateSecretNamespace(secretRef, path)]
}

function validateSecretNamespace(secret: { readonly namespace?: string } | undefined, path: FieldPath): FieldErrorList {
  return secret === undefined ? [] : validateRequired(secret.namespace, path.child('secretRef', 'namespace'))
}

export function validateAzureFileVolume(source: DeepReadonly<AzureFilePersistentVolumeSource>, path: FieldPath): FieldErrorList {
  const errors = validateAzureFile(source, path)
  return source.secretNamespace === '' ? [...errors, fieldError.required(path.child('secretNamespace'))] : errors
}

const secretMembers = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const

export function validateCSIVolume(source: DeepReadonly<CSIPersistentVolumeSource>, path: FieldPath): FieldErrorList {
  return [
    ...validateCSIDriverName(source.driver ?? '', path.child('driver')),
    ...validateRequired(source.volumeHandle, path.child('volumeHandle')),
    ...secretMembers.flatMap((member) => {
      const secret = source[member]
      return secret === undefined ? [] : validateSecretReference(secret, path.child(member))
    }),
  ]
}

function validateSecretReference({ name = '', namespace = '' }: DeepReadonly<SecretReference>, path: FieldPath): FieldErrorList {
  return [
    ...(name === '' ? [fieldError.required(path.child('name'))] : validateDNSSubdomain(name, path.child('name'))),
    ...(namespace === '' ? [fieldError.required(path.child('namespace'))] : validateDNSLabel(namespace, path.child('namespace'))),
  ]
}
