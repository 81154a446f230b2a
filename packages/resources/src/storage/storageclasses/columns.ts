import type { StorageClass } from '@keelson/api/storage/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'
import { ageColumn } from '@keelson/registry'

const defaultAnnotations = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']

/** Returns whether this is the default class, for claims without a class. */
export function isDefaultStorageClass({ metadata }: DeepReadonly<StorageClass>): boolean {
  return defaultAnnotations.some((key) => metadata.annotations?.[key] === 'true')
}

/** Table columns of storage classes. The column Name marks the default class. */
export const storageClassColumns: readonly Column<StorageClass>[] = [
  {
    name: 'Name',
    format: 'name',
    description: 'Name of the class; the default class is marked.',
    value: (storageClass) => `${storageClass.metadata.name ?? ''}${isDefaultStorageClass(storageClass) ? ' (default)' : ''}`,
  },
  { name: 'Provisioner', description: 'Provisioner of the volumes.', value: ({ provisioner }) => provisioner },
  {
    name: 'ReclaimPolicy',
    description: 'Handling of a volume after its claim is deleted.',
    value: ({ reclaimPolicy = 'Delete' }) => reclaimPolicy,
  },
  {
    name: 'VolumeBindingMode',
    description: 'Time at which a claim is bound to a volume.',
    value: ({ volumeBindingMode = 'Immediate' }) => volumeBindingMode,
  },
  {
    name: 'AllowVolumeExpansion',
    description: 'True if claims may be expanded.',
    value: ({ allowVolumeExpansion = false }) => allowVolumeExpansion,
  },
  ageColumn,
]
