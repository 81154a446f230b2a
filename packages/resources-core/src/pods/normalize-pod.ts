import type { Pod, PodStatus } from '@keelson/api/core/v1'
import { normalizePodSpec, removeInitContainerAnnotations } from '../pod-spec/normalize.ts'

/** Makes duplicate fields of a pod consistent, and removes obsolete annotations. Mutates and returns the pod. */
export function normalizePod(pod: Pod): Pod {
  removeInitContainerAnnotations(pod.metadata)
  if (pod.spec !== undefined) {
    normalizePodSpec(pod.spec)
    // Older servers accepted negative grace periods. A negative period means the shortest possible period.
    if ((pod.spec.terminationGracePeriodSeconds ?? 0) < 0) pod.spec.terminationGracePeriodSeconds = 1
  }
  if (pod.status !== undefined) normalizePodIPs(pod.status)
  return pod
}

/** Makes `podIP` and the first of `podIPs` equal. If they differ, `podIP` wins. */
function normalizePodIPs(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip ?? ''
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }]
  else if (first !== '') status.podIP = first
}
