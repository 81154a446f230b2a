import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CinderVolumeSource,
  FlexVolumeSource,
  GCEPersistentDiskVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from '@keelson/api/core/v1'
import { fieldError, formatInclusiveRangeMessage } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateRequired, validateSupported } from './field-rules.ts'

// Validates volume sources for cloud disks, cloud file shares and FlexVolume drivers.

export function validateGCEPersistentDisk(source: DeepReadonly<GCEPersistentDiskVolumeSource>, path: FieldPath): FieldErrorList {
  return [...validateRequired(source.pdName, path.child('pdName')), ...validatePartition(source.partition, path.child('partition'))]
}

export function validateAWSElasticBlockStore(source: DeepReadonly<AWSElasticBlockStoreVolumeSource>, path: FieldPath): FieldErrorList {
  return [...validateRequired(source.volumeID, path.child('volumeID')), ...validatePartition(source.partition, path.child('partition'))]
}

/** Validates the number of a disk partition. 0 means the whole disk and is valid, although upstream's error message does not say so. */
function validatePartition(partition: number | undefined, path: FieldPath): FieldErrorList {
  if (partition === undefined || (0 <= partition && partition <= 255)) return []
  return [fieldError.invalid(path, partition, formatInclusiveRangeMessage(1, 255))]
}

export function validateCinder(source: DeepReadonly<CinderVolumeSource>, path: FieldPath): FieldErrorList {
  const errors = validateRequired(source.volumeID, path.child('volumeID'))
  if (source.secretRef !== undefined) errors.push(...validateRequired(source.secretRef.name, path.child('secretRef', 'name')))
  return errors
}

export function validateFlexVolume(source: DeepReadonly<FlexVolumeSource>, path: FieldPath): FieldErrorList {
  const errors = validateRequired(source.driver, path.child('driver'))
  for (const key of Object.keys(source.options ?? {})) {
    const domain = `.${key.split('/')[0]!.toLowerCase()}`
    if (!domain.endsWith('.kubernetes.io') && !domain.endsWith('.k8s.io')) continue
    errors.push(fieldError.invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'))
  }
  return errors
}

export function validateAzureFile(source: DeepReadonly<AzureFileVolumeSource>, path: FieldPath): FieldErrorList {
  return [...validateRequired(source.secretName, path.child('secretName')), ...validateRequired(source.shareName, path.child('shareName'))]
}

const cachingModes = ['None', 'ReadOnly', 'ReadWrite']
const diskKinds = ['Dedicated', 'Managed', 'Shared']
const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

export function validateAzureDisk(source: DeepReadonly<AzureDiskVolumeSource>, path: FieldPath): FieldErrorList {
  const { kind, diskURI = '' } = source
  const errors = [
    ...validateRequired(source.diskName, path.child('diskName')),
    ...validateRequired(diskURI, path.child('diskURI')),
    ...validateSupported(source.cachingMode, cachingModes, path.child('cachingMode')),
    ...validateSupported(kind, diskKinds, path.child('kind')),
  ]
  if (kind === 'Managed') {
    if (!diskURI.startsWith('/subscriptions/')) errors.push(fieldError.notSupported(path.child('diskURI'), diskURI, [managedDisk]))
  } else if (kind !== undefined && !diskURI.startsWith('https://')) {
    errors.push(fieldError.notSupported(path.child('diskURI'), diskURI, [blobDisk]))
  }
  return errors
}

export function validateVsphereVolume(source: DeepReadonly<VsphereVirtualDiskVolumeSource>, path: FieldPath): FieldErrorList {
  return validateRequired(source.volumePath, path.child('volumePath'))
}

export function validatePhotonPersistentDisk(source: DeepReadonly<PhotonPersistentDiskVolumeSource>, path: FieldPath): FieldErrorList {
  return validateRequired(source.pdID, path.child('pdID'))
}

export function validatePortworxVolume(source: DeepReadonly<PortworxVolumeSource>, path: FieldPath): FieldErrorList {
  return validateRequired(source.volumeID, path.child('volumeID'))
}
