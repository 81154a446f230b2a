import type { PersistentVolume } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'
import { formatAccessModes } from '../access-modes.ts'
import { getStorageClass } from '../storage-class-name.ts'

export const persistentVolumeColumns: readonly Column<PersistentVolume>[] = [
  { name: 'Capacity', description: 'Capacity of the volume.', value: ({ spec }) => spec?.capacity?.['storage'] ?? '0' },
  { name: 'Access Modes', description: 'Access modes of the volume.', value: ({ spec }) => formatAccessModes(spec?.accessModes) },
  {
    name: 'Reclaim Policy',
    description: 'Handling of the volume after its claim is deleted.',
    value: ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
  },
  {
    name: 'Status',
    description: 'Phase of the volume.',
    value: ({ metadata, status }) => (metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating'),
  },
  { name: 'Claim', description: 'Bound claim as namespace/name.', value: formatClaim },
  { name: 'StorageClass', description: 'Storage class.', value: getStorageClass },
  {
    name: 'VolumeAttributesClass',
    description: 'Volume attributes class.',
    value: ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
  },
  { name: 'Reason', description: 'Reason for the phase.', value: ({ status }) => status?.reason ?? '' },
  {
    name: 'VolumeMode',
    priority: 1,
    description: 'Filesystem or Block.',
    value: ({ spec }) => spec?.volumeMode ?? '<unset>',
  },
]

function formatClaim({ spec }: DeepReadonly<PersistentVolume>): string {
  const claim = spec?.claimRef
  return claim === undefined ? '' : `${claim.namespace ?? ''}/${claim.name ?? ''}`
}
