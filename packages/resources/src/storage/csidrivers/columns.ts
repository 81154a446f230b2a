import type { CSIDriver } from '@keelson/api/storage/v1'
import type { Column } from '@keelson/registry'

export const csiDriverColumns: readonly Column<CSIDriver>[] = [
  {
    name: 'AttachRequired',
    type: 'boolean',
    description: 'True if volumes are attached before they are mounted.',
    value: ({ spec }) => spec.attachRequired ?? true,
  },
  {
    name: 'PodInfoOnMount',
    type: 'boolean',
    description: 'True if the driver receives information about the pod.',
    value: ({ spec }) => spec.podInfoOnMount ?? false,
  },
  {
    name: 'StorageCapacity',
    type: 'boolean',
    description: 'True if the scheduler considers the remaining capacity.',
    value: ({ spec }) => spec.storageCapacity ?? false,
  },
  {
    name: 'TokenRequests',
    description: 'Audiences of the service account tokens that the driver receives.',
    value: ({ spec }) => spec.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>',
  },
  {
    name: 'RequiresRepublish',
    type: 'boolean',
    description: 'True if mounted volumes are republished periodically.',
    value: ({ spec }) => spec.requiresRepublish ?? false,
  },
  {
    name: 'Modes',
    description: 'Supported volume lifecycle modes.',
    value: ({ spec }) => spec.volumeLifecycleModes?.join(',') || '<none>',
  },
]
