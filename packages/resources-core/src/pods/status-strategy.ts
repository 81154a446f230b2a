import type { ContainerStatus, Pod, PodStatus } from '@keelson/api/core/v1'
import { copyObject, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, OwnerReference } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { SubresourceStrategy } from '@keelson/registry'
import { findIPWarnings } from '../ip-address.ts'
import { keepMember } from '../keep-member.ts'
import { createPodRules } from '../pod-spec/pod-rules.ts'
import { validatePodStatusUpdate } from './validate-status-update.ts'

/** Strategy of pods/status, which kubelets write. All fields except the status are restored from the stored pod. */
export const podStatus: SubresourceStrategy<Pod> = {
  update: {
    resetFields: withoutFields('spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'),
    prepareForUpdate(_context, pod, old) {
      keepMember(pod, old, 'spec')
      delete pod.metadata.deletionTimestamp
      if (old.metadata.ownerReferences === undefined) delete pod.metadata.ownerReferences
      else pod.metadata.ownerReferences = copyObject(old.metadata.ownerReferences) as OwnerReference[]
      pod.status ??= {}
      if (!pod.status.qosClass && old.status?.qosClass !== undefined) pod.status.qosClass = old.status.qosClass
      keepObservedGenerations(pod, old as Pod)
      dropDisabledStatusFields(pod.status, old.status)
    },
    validateUpdate: (_context, pod, old) => validatePodStatusUpdate(pod, old, createPodRules('pod', old)),
    warningsOnUpdate: (_context, { status }) =>
      (['podIPs', 'hostIPs'] as const).flatMap((member) =>
        (status?.[member] ?? []).flatMap(({ ip = '' }, i) => findIPWarnings(ip, newFieldPath('status', member).index(i).child('ip'))),
      ),
  },
}

/**
 * Restores `observedGeneration` of the status and its conditions if the client omits it. Old clients do not know this field. Several
 * conditions of one type are matched by their position.
 */
function keepObservedGenerations(pod: Pod, old: Pod): void {
  if (pod.status === undefined) return
  if (!pod.status.observedGeneration && old.status?.observedGeneration) pod.status.observedGeneration = old.status.observedGeneration
  const oldPositions = new Map<string, number[]>()
  for (const { type, observedGeneration } of old.status?.conditions ?? [])
    oldPositions.set(type, [...(oldPositions.get(type) ?? []), observedGeneration ?? 0])
  for (const condition of pod.status.conditions ?? []) {
    const generation = oldPositions.get(condition.type)?.shift() ?? 0
    if (!condition.observedGeneration && generation !== 0) condition.observedGeneration = generation
  }
}

/** Drops pod status fields whose feature gate is off by default. Keeps a field if `old` already uses it. Mutates `status`. */
function dropDisabledStatusFields(status: PodStatus, old: DeepReadonly<PodStatus> | undefined): void {
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
