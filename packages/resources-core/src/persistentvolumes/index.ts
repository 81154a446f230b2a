import type { PersistentVolume } from '@keelson/api/core/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { persistentVolumeColumns } from './columns.ts'
import { setPersistentVolumeDefaults } from './defaults.ts'
import { persistentVolumeStatus, persistentVolumeStrategy } from './strategy.ts'

export const persistentVolumes: ResourceDefinition<PersistentVolume> = defineResource<PersistentVolume>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  scope: 'Cluster',
  shortNames: ['pv'],
  returnsDeletedObject: true,
  setDefaults: setPersistentVolumeDefaults,
  strategy: persistentVolumeStrategy,
  columns: persistentVolumeColumns,
  subresources: { status: persistentVolumeStatus },
})
