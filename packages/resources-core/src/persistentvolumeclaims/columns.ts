import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import type { Column } from '@keelson/registry'
import { formatAccessModes } from '../access-modes.ts'
import { getStorageClass } from '../storage-class-name.ts'

/** Table columns of PersistentVolumeClaims. Capacity and access modes are empty until the claim is bound. */
export const claimColumns: readonly Column<PersistentVolumeClaim>[] = [
  {
    name: 'Status',
    description: 'Phase of the claim.',
    value: ({ metadata, status }) => (metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating'),
  },
  { name: 'Volume', description: 'Bound volume.', value: ({ spec }) => spec?.volumeName ?? '' },
  {
    name: 'Capacity',
    description: 'Capacity of the volume.',
    value: ({ spec, status }) => (spec?.volumeName ? (status?.capacity?.['storage'] ?? '0') : ''),
  },
  {
    name: 'Access Modes',
    description: 'Access modes of the volume.',
    value: ({ spec, status }) => (spec?.volumeName ? formatAccessModes(status?.accessModes) : ''),
  },
  { name: 'StorageClass', description: 'Storage class.', value: getStorageClass },
  {
    name: 'VolumeAttributesClass',
    description: 'Volume attributes class.',
    value: ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
  },
  {
    name: 'VolumeMode',
    priority: 1,
    description: 'Filesystem or Block.',
    value: ({ spec }) => spec?.volumeMode ?? '<unset>',
  },
]
