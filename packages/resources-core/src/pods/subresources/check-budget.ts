import type { Pod } from '@keelson/api/core/v1'
import type { PodDisruptionBudget } from '@keelson/api/policy/v1'
import { formatTime, newForbidden, newTooManyRequests } from '@keelson/apimachinery'
import type { ApiError, DeepReadonly } from '@keelson/apimachinery'

const violation = "Cannot evict pod as it would violate the pod's disruption budget."
/** Evictions that nobody has confirmed yet: with more of them, the one who confirms is not there. */
const maxDisruptedPods = 2000

const pending = { retryAfterSeconds: 10 }

/** Come back soon: what the budget says is not up to date. */
export function budgetInProcess(name: string): ApiError {
  return withCause(
    newTooManyRequests(violation, pending.retryAfterSeconds),
    `The disruption budget ${name} is still being processed by the server.`,
  )
}

/** Takes one disruption from the budget, or throws. In place. */
export function takeDisruption(budget: PodDisruptionBudget, podName: string, now: number): void {
  const { metadata, status } = budget
  const name = metadata.name ?? ''
  if (status === undefined || (status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw budgetInProcess(name)
  const refuse = (reason: string): ApiError => newForbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, reason)
  if (status.disruptionsAllowed < 0) throw refuse('pdb disruptions allowed is negative')
  if (Object.keys(status.disruptedPods ?? {}).length > maxDisruptedPods) {
    throw refuse('DisruptedPods map too big - too many evictions not confirmed by PDB controller')
  }
  if (status.disruptionsAllowed === 0) throw withCause(newTooManyRequests(violation, 0), whyNone(budget))
  status.disruptionsAllowed -= 1
  if (status.disruptionsAllowed === 0) setNoneAllowed(budget, now)
  status.disruptedPods = { ...status.disruptedPods, [podName]: formatTime(now) }
}

function whyNone({ metadata, status }: DeepReadonly<PodDisruptionBudget>): string {
  const subject = `The disruption budget ${metadata.name}`
  const { currentHealthy = 0, desiredHealthy = 0, conditions = [] } = status ?? {}
  const condition = conditions.find(({ type }) => type === 'DisruptionAllowed')
  const told = condition?.status === 'False' && condition.message !== '' ? condition : undefined
  if (told?.reason === 'SyncFailed') return `${subject} does not allow evicting pods currently because it failed sync: ${told.message}`
  if (currentHealthy <= desiredHealthy) return `${subject} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  if (told === undefined) return `${subject} does not allow evicting pods currently`
  return `${subject} does not allow evicting pods currently (${told.reason}): ${told.message}`
}

function setNoneAllowed({ status }: PodDisruptionBudget, now: number): void {
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

/** Pods that have ended, have not begun or are on their way out do not count in any budget. */
export function isOutsideBudgets({ metadata, status }: DeepReadonly<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? '')
}

/** An unready pod may go at any time, or while enough others are well. */
export function mayGoUnhealthy(pod: DeepReadonly<Pod>, { spec, status }: DeepReadonly<PodDisruptionBudget>): boolean {
  if ((pod.status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True')) return false
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy
}
