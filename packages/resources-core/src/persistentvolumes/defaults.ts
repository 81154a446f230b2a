import type { PersistentVolume } from '@keelson/api/core/v1'
import { roundUpToMilli } from '../pod-spec/resource-quantities.ts'
import { setSourceDefaults } from '../pod-spec/volume-defaults.ts'

export function setPersistentVolumeDefaults(volume: PersistentVolume): void {
  const spec = (volume.spec ??= {})
  const status = (volume.status ??= {})
  status.phase ||= 'Pending'
  spec.persistentVolumeReclaimPolicy ||= 'Retain'
  spec.volumeMode ??= 'Filesystem'
  roundUpToMilli(spec.capacity)
  setSourceDefaults(spec)
}
