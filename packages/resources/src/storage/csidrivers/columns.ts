import type { CSIDriver } from '@keelson/api/storage/v1'
import type { Column } from '@keelson/registry'

export const csiDriverColumns: readonly Column<CSIDriver>[] = [
  {
    name: 'AttachRequired',
    type: 'boolean',
    description: 'Whether volumes are attached before they are mounted.',
    value: ({ spec }) => spec.attachRequired ?? true,
  },
  {
    name: 'PodInfoOnMount',
    type: 'boolean',
    description: 'Whether the driver is told about the pod.',
    value: ({ spec }) => spec.podInfoOnMount ?? false,
  },
  {
    name: 'StorageCapacity',
    type: 'boolean',
    description: 'Whether pods are scheduled by the capacity that is left.',
    value: ({ spec }) => spec.storageCapacity ?? false,
  },
  {
    name: 'TokenRequests',
    description: 'For whom tokens of the pod are given to the driver.',
    value: ({ spec }) => spec.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>',
  },
  {
    name: 'RequiresRepublish',
    type: 'boolean',
    description: 'Whether mounted volumes are shown to the driver again.',
    value: ({ spec }) => spec.requiresRepublish ?? false,
  },
  { name: 'Modes', description: 'What lives of volumes it knows.', value: ({ spec }) => spec.volumeLifecycleModes?.join(',') || '<none>' },
]
