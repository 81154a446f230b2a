import type { ContainerStatus, PodStatus } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

/** Drops status fields of features that are off by default, unless `old` already uses them. Mutates `status`. */
export function dropDisabledStatusFields(status: PodStatus, old: DeepReadonly<PodStatus> | undefined): void {
  if ((old?.nodeAllocatableResourceClaimStatuses ?? []).length === 0) delete status.nodeAllocatableResourceClaimStatuses
  const hasVolumeStatus = listContainerStatuses((old ?? {}) as PodStatus).some(({ volumeMounts }) =>
    (volumeMounts ?? []).some(({ volumeStatus }) => volumeStatus?.image !== undefined),
  )
  if (hasVolumeStatus) return
  for (const { volumeMounts } of listContainerStatuses(status)) for (const mount of volumeMounts ?? []) delete mount.volumeStatus
}

function listContainerStatuses(status: PodStatus): ContainerStatus[] {
  return [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? []), ...(status.ephemeralContainerStatuses ?? [])]
}
