import type { CSIDriver } from '@keelson/api/storage/v1'

export function setCSIDriverDefaults({ spec }: CSIDriver): void {
  spec.attachRequired ??= true
  spec.podInfoOnMount ??= false
  spec.storageCapacity ??= false
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType'
  if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent']
  spec.requiresRepublish ??= false
  spec.seLinuxMount ??= false
}
