/** Defaults by `Type.field` that Go types declare and the reference tables omit. */
const common: Readonly<Record<string, unknown>> = {
  'ContainerPort.protocol': 'TCP',
  'ServicePort.protocol': 'TCP',
  'LocalObjectReference.name': '',
  'ReplicationControllerSpec.replicas': 1,
  'ReplicationControllerSpec.minReadySeconds': 0,
  'RBDVolumeSource.pool': 'rbd',
  'RBDVolumeSource.user': 'admin',
  'RBDVolumeSource.keyring': '/etc/ceph/keyring',
  'RBDPersistentVolumeSource.pool': 'rbd',
  'RBDPersistentVolumeSource.user': 'admin',
  'RBDPersistentVolumeSource.keyring': '/etc/ceph/keyring',
  'ISCSIVolumeSource.iscsiInterface': 'default',
  'ISCSIPersistentVolumeSource.iscsiInterface': 'default',
  'AzureDiskVolumeSource.cachingMode': 'ReadWrite',
  'AzureDiskVolumeSource.fsType': 'ext4',
  'AzureDiskVolumeSource.readOnly': false,
  'AzureDiskVolumeSource.kind': 'Shared',
  'ScaleIOVolumeSource.storageMode': 'ThinProvisioned',
  'ScaleIOVolumeSource.fsType': 'xfs',
  'ScaleIOPersistentVolumeSource.storageMode': 'ThinProvisioned',
  'ScaleIOPersistentVolumeSource.fsType': 'xfs',
  'FileKeySelector.optional': false,
  'GRPCAction.service': '',
}

const perGroup: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'core/v1': common,
  'apps/v1beta1': { 'ScaleSpec.replicas': 0 },
  'apps/v1beta2': { 'ScaleSpec.replicas': 0 },
  'autoscaling/v1': { 'ScaleSpec.replicas': 0 },
  'extensions/v1beta1': { 'ScaleSpec.replicas': 0 },
  'certificates/v1beta1': { 'PodCertificateRequestSpec.maxExpirationSeconds': 86_400 },
  'resource/v1': { 'DeviceToleration.operator': 'Equal' },
  'resource/v1beta1': { 'DeviceToleration.operator': 'Equal' },
  'resource/v1beta2': { 'DeviceToleration.operator': 'Equal' },
  'resource/v1alpha3': { 'ResourcePoolStatusRequestSpec.limit': 100 },
  'scheduling/v1alpha2': { 'PodGroupSpec.disruptionMode': 'Pod' },
}

export function getDeclaredDefault(folder: string, message: string, field: string): unknown {
  return perGroup[folder]?.[`${message}.${field}`]
}
