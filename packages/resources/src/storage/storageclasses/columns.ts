import type { StorageClass } from '@keelson/api/storage/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'
import { ageColumn } from '@keelson/registry'

const defaultAnnotations = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']

/** Claims that name no class get this one. */
export function isDefaultStorageClass({ metadata }: DeepReadonly<StorageClass>): boolean {
  return defaultAnnotations.some((key) => metadata.annotations?.[key] === 'true')
}

/** The name says whether the class is the default one. */
export const storageClassColumns: readonly Column<StorageClass>[] = [
  {
    name: 'Name',
    format: 'name',
    description: 'The name of the class, marked when it is the default.',
    value: (storageClass) => `${storageClass.metadata.name ?? ''}${isDefaultStorageClass(storageClass) ? ' (default)' : ''}`,
  },
  { name: 'Provisioner', description: 'What makes the volumes.', value: ({ provisioner }) => provisioner },
  {
    name: 'ReclaimPolicy',
    description: 'What becomes of a volume when its claim goes.',
    value: ({ reclaimPolicy = 'Delete' }) => reclaimPolicy,
  },
  {
    name: 'VolumeBindingMode',
    description: 'When a claim gets its volume.',
    value: ({ volumeBindingMode = 'Immediate' }) => volumeBindingMode,
  },
  {
    name: 'AllowVolumeExpansion',
    description: 'Whether claims may ask for more later.',
    value: ({ allowVolumeExpansion = false }) => allowVolumeExpansion,
  },
  ageColumn,
]
