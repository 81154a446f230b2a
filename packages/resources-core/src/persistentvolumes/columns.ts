import type { PersistentVolume } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'
import { accessModesText } from '../access-modes.ts'
import { storageClassOf } from '../storage-class-name.ts'

export const persistentVolumeColumns: readonly Column<PersistentVolume>[] = [
  { name: 'Capacity', description: 'How much it holds.', value: ({ spec }) => spec?.capacity?.['storage'] ?? '0' },
  { name: 'Access Modes', description: 'How it can be mounted.', value: ({ spec }) => accessModesText(spec?.accessModes) },
  {
    name: 'Reclaim Policy',
    description: 'What becomes of it when its claim goes.',
    value: ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
  },
  {
    name: 'Status',
    description: 'Whether it is bound.',
    value: ({ metadata, status }) => (metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating'),
  },
  { name: 'Claim', description: 'NAMESPACE/NAME of the claim that has it.', value: claimText },
  { name: 'StorageClass', description: 'Its storage class.', value: storageClassOf },
  {
    name: 'VolumeAttributesClass',
    description: 'Its volume attributes class.',
    value: ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
  },
  { name: 'Reason', description: 'Why it is in this state.', value: ({ status }) => status?.reason ?? '' },
  {
    name: 'VolumeMode',
    priority: 1,
    description: 'A file system, or a raw block device.',
    value: ({ spec }) => spec?.volumeMode ?? '<unset>',
  },
]

function claimText({ spec }: DeepReadonly<PersistentVolume>): string {
  const claim = spec?.claimRef
  return claim === undefined ? '' : `${claim.namespace ?? ''}/${claim.name ?? ''}`
}
