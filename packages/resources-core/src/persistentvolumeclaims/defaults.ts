import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import { roundUpToMilli } from '../pod-spec/resource-quantities.ts'

export function setClaimDefaults(claim: PersistentVolumeClaim): void {
  const spec = (claim.spec ??= {})
  const status = (claim.status ??= {})
  status.phase ||= 'Pending'
  spec.volumeMode ??= 'Filesystem'
  for (const list of [spec.resources?.limits, spec.resources?.requests, status.capacity, status.allocatedResources]) roundUpToMilli(list)
}
