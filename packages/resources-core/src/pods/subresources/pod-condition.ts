import type { Pod, PodCondition } from '@keelson/api/core/v1'
import { requestTime } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'

/**
 * Adds a condition to a pod or replaces the condition of the same type. Keeps `lastTransitionTime` if the status of the condition is
 * unchanged. Mutates the pod.
 */
export function setPodCondition(
  context: Pick<RequestContext, 'now'>,
  pod: Pod,
  condition: Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>,
): void {
  const status = (pod.status ??= {})
  const conditions = (status.conditions ??= [])
  const index = conditions.findIndex(({ type }) => type === condition.type)
  const old = conditions[index]
  const lastTransitionTime = old?.status === condition.status ? (old.lastTransitionTime ?? null) : requestTime(context)
  const changed: PodCondition = { ...condition, lastProbeTime: null, lastTransitionTime }
  if (index < 0) conditions.push(changed)
  else conditions[index] = changed
}
