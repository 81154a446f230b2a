import type { Job } from '@keelson/api/batch/v1'
import { equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { hasCondition, isFinished } from './job-conditions.ts'

export type ReadonlyJob = DeepReadonly<Job>

/** The status fields that an update changes. Validation skips unchanged fields, so objects with stored invalid values can be updated. */
export interface StatusChanges {
  readonly finished: boolean
  readonly complete: boolean
  readonly failed: boolean
  readonly failureTarget: boolean
  readonly successCriteriaMet: boolean
  readonly completedIndexes: boolean
  readonly failedIndexes: boolean
  readonly active: boolean
  readonly ready: boolean
  readonly terminating: boolean
  readonly startTime: boolean
  readonly completionTime: boolean
  readonly uncounted: boolean
}

export function compareStatuses(job: ReadonlyJob, old: ReadonlyJob): StatusChanges {
  const [after, before] = [job.status ?? {}, old.status ?? {}]
  return {
    finished: isFinished(job) !== isFinished(old),
    complete: hasCondition(job, 'Complete') !== hasCondition(old, 'Complete'),
    failed: hasCondition(job, 'Failed') !== hasCondition(old, 'Failed'),
    failureTarget: hasCondition(job, 'FailureTarget') !== hasCondition(old, 'FailureTarget'),
    successCriteriaMet: hasCondition(job, 'SuccessCriteriaMet') !== hasCondition(old, 'SuccessCriteriaMet'),
    completedIndexes: (after.completedIndexes ?? '') !== (before.completedIndexes ?? ''),
    failedIndexes: after.failedIndexes !== before.failedIndexes,
    active: (after.active ?? 0) !== (before.active ?? 0),
    ready: after.ready !== before.ready,
    terminating: after.terminating !== before.terminating,
    startTime: after.startTime !== before.startTime,
    completionTime: after.completionTime !== before.completionTime,
    uncounted: !equalsSemantically(after.uncountedTerminatedPods ?? null, before.uncountedTerminatedPods ?? null),
  }
}
