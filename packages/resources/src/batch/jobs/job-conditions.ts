import type { Job } from '@keelson/api/batch/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

export type JobConditionType = 'Complete' | 'Failed' | 'FailureTarget' | 'SuccessCriteriaMet' | 'Suspended'

export function hasCondition({ status }: DeepReadonly<Job>, type: JobConditionType, value: 'True' | 'False' = 'True'): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === value)
}

export function isFinished(job: DeepReadonly<Job>): boolean {
  return hasCondition(job, 'Complete') || hasCondition(job, 'Failed')
}
