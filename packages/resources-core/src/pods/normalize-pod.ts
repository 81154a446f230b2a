import type { Pod, PodStatus } from '@keelson/api/core/v1'
import { normalizePodSpec, withoutInitContainerAnnotations } from '../pod-spec/normalize.ts'

/** The one form of a pod where clients may write several, and old ones at that. In place. */
export function normalizePod(pod: Pod): Pod {
  withoutInitContainerAnnotations(pod.metadata)
  if (pod.spec !== undefined) {
    normalizePodSpec(pod.spec)
    // Negative periods were accepted once, and mean: as soon as can be.
    if ((pod.spec.terminationGracePeriodSeconds ?? 0) < 0) pod.spec.terminationGracePeriodSeconds = 1
  }
  if (pod.status !== undefined) normalizePodIPs(pod.status)
  return pod
}

/** `podIP` is the first of `podIPs`. A client that knows only the former decides. */
function normalizePodIPs(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip ?? ''
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }]
  else if (first !== '') status.podIP = first
}
