import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import type { DefaultOnRead } from '@keelson/registry'
import { roundUpToMilli } from '../pod-spec/resource-quantities.ts'

export function setClaimDefaults(claim: PersistentVolumeClaim): void {
  const spec = (claim.spec ??= {})
  const status = (claim.status ??= {})
  setPhase(claim)
  spec.volumeMode ??= 'Filesystem'
  for (const list of [spec.resources?.limits, spec.resources?.requests, status.capacity, status.allocatedResources]) roundUpToMilli(list)
}

/** Sets the default phase of claims on reads, because new claims are stored without a phase. */
export const claimDefaultOnRead: DefaultOnRead<PersistentVolumeClaim> = {
  isDue: ({ status }) => (status?.phase ?? '') === '',
  fill: setPhase,
}

function setPhase(claim: PersistentVolumeClaim): void {
  const status = (claim.status ??= {})
  status.phase ||= 'Pending'
}
