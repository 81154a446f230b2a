import type { PersistentVolume, PersistentVolumeSpec } from '@keelson/api/core/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { roundUpToMilli } from '../pod-spec/resource-quantities.ts'
import { setSourceDefaults } from '../pod-spec/volume-defaults.ts'
import { persistentVolumeColumns } from './columns.ts'
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

export function setPersistentVolumeDefaults(volume: PersistentVolume): void {
  const spec = (volume.spec ??= {})
  const status = (volume.status ??= {})
  status.phase ||= 'Pending'
  spec.persistentVolumeReclaimPolicy ||= 'Retain'
  spec.volumeMode ??= 'Filesystem'
  setInlineVolumeDefaults(spec)
}

/** Sets the defaults of a volume that another object contains, and of the parts that every volume has. Mutates its argument. */
export function setInlineVolumeDefaults(spec: PersistentVolumeSpec): void {
  roundUpToMilli(spec.capacity)
  setSourceDefaults(spec)
}
