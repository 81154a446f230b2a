import type { Pod } from '@keelson/api/core/v1'
import type { PodDisruptionBudget } from '@keelson/api/policy/v1'
import { formatTime, newForbidden, newTooManyRequests } from '@keelson/apimachinery'
import type { ApiError, DeepReadonly } from '@keelson/apimachinery'

const violation = "Cannot evict pod as it would violate the pod's disruption budget."
/**
 * Maximum number of evictions that the disruption controller has not processed yet. If there are more, the controller is probably not
 * running.
 */
const maxDisruptedPods = 2000

const retry = { retryAfterSeconds: 10 }

/** Creates the error for a disruption budget whose status is outdated. Clients should retry. */
export function newBudgetInProcessError(name: string): ApiError {
  return withCause(
    newTooManyRequests(violation, retry.retryAfterSeconds),
    `The disruption budget ${name} is still being processed by the server.`,
  )
}

/** Reduces the allowed disruptions of a budget by one. Throws if the budget allows no disruption. Mutates the budget. */
export function takeDisruption(budget: PodDisruptionBudget, podName: string, now: number): void {
  const { metadata, status } = budget
  const name = metadata.name ?? ''
  if (status === undefined || (status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw newBudgetInProcessError(name)
  const refuse = (reason: string): ApiError => newForbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, reason)
  if (status.disruptionsAllowed < 0) throw refuse('pdb disruptions allowed is negative')
  if (Object.keys(status.disruptedPods ?? {}).length > maxDisruptedPods) {
    throw refuse('DisruptedPods map too big - too many evictions not confirmed by PDB controller')
  }
  if (status.disruptionsAllowed === 0) throw withCause(newTooManyRequests(violation, 0), explainRefusal(budget))
  status.disruptionsAllowed -= 1
  if (status.disruptionsAllowed === 0) setInsufficientPods(budget, now)
  status.disruptedPods = { ...status.disruptedPods, [podName]: formatTime(now) }
}

function explainRefusal({ metadata, status }: DeepReadonly<PodDisruptionBudget>): string {
  const subject = `The disruption budget ${metadata.name}`
  const { currentHealthy = 0, desiredHealthy = 0, conditions = [] } = status ?? {}
  const condition = conditions.find(({ type }) => type === 'DisruptionAllowed')
  const falseCondition = condition?.status === 'False' && condition.message !== '' ? condition : undefined
  if (falseCondition?.reason === 'SyncFailed')
    return `${subject} does not allow evicting pods currently because it failed sync: ${falseCondition.message}`
  if (currentHealthy <= desiredHealthy) return `${subject} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  if (falseCondition === undefined) return `${subject} does not allow evicting pods currently`
  return `${subject} does not allow evicting pods currently (${falseCondition.reason}): ${falseCondition.message}`
}

function setInsufficientPods({ status }: PodDisruptionBudget, now: number): void {
  const conditions = (status!.conditions ??= [])
  const index = conditions.findIndex(({ type }) => type === 'DisruptionAllowed')
  const old = conditions[index]
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    ...(status!.observedGeneration !== undefined && { observedGeneration: status!.observedGeneration }),
    lastTransitionTime: old?.status === 'False' ? old.lastTransitionTime : formatTime(now),
    reason: 'InsufficientPods',
    message: '',
  }
  if (index < 0) conditions.push(condition)
  else conditions[index] = condition
}

function withCause(error: ApiError, message: string): ApiError {
  const details = (error.status.details ??= {})
  details.causes = [...(details.causes ?? []), { reason: 'DisruptionBudget', message }]
  return error
}

/** Returns whether disruption budgets ignore a pod, because it is terminated, pending or being deleted. */
export function isOutsideBudgets({ metadata, status }: DeepReadonly<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? '')
}

/**
 * Returns whether an unready pod can be evicted without using the budget. Depends on the policy: either always, or only if enough other
 * pods are healthy.
 */
export function mayEvictUnhealthy(pod: DeepReadonly<Pod>, { spec, status }: DeepReadonly<PodDisruptionBudget>): boolean {
  if ((pod.status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True')) return false
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy
}
