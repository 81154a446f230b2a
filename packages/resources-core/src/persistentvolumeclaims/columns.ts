import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import type { Column } from '@keelson/registry'
import { accessModesText } from '../access-modes.ts'
import { storageClassOf } from '../storage-class-name.ts'

/** What a claim has is shown once it is bound. */
export const claimColumns: readonly Column<PersistentVolumeClaim>[] = [
  {
    name: 'Status',
    description: 'Whether it is bound.',
    value: ({ metadata, status }) => (metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating'),
  },
  { name: 'Volume', description: 'The volume it has.', value: ({ spec }) => spec?.volumeName ?? '' },
  {
    name: 'Capacity',
    description: 'How much that holds.',
    value: ({ spec, status }) => (spec?.volumeName ? (status?.capacity?.['storage'] ?? '0') : ''),
  },
  {
    name: 'Access Modes',
    description: 'How that can be mounted.',
    value: ({ spec, status }) => (spec?.volumeName ? accessModesText(status?.accessModes) : ''),
  },
  { name: 'StorageClass', description: 'Its storage class.', value: storageClassOf },
  {
    name: 'VolumeAttributesClass',
    description: 'Its volume attributes class.',
    value: ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
  },
  {
    name: 'VolumeMode',
    priority: 1,
    description: 'A file system, or a raw block device.',
    value: ({ spec }) => spec?.volumeMode ?? '<unset>',
  },
]
