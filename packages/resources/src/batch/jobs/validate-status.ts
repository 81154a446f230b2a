import { batchV1 } from '@keelson/api/batch/v1'
import type { UncountedTerminatedPods } from '@keelson/api/batch/v1'
import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct } from '@keelson/resources-core'
import { validateCounts } from '../../workloads/status-counts.ts'
import { hasCondition, isFinished } from './job-conditions.ts'
import { validateStatusConditions } from './validate-status-conditions.ts'
import { validateStatusIndexes } from './validate-status-indexes.ts'
import { compareStatuses } from './status-changes.ts'
import type { ReadonlyJob, StatusChanges } from './status-changes.ts'

const path = newFieldPath('status')

/** Validates a status, which any job controller can write. A rule only applies if the update changes one of its fields. */
export function validateJobStatus(job: ReadonlyJob, old: ReadonlyJob): FieldErrorList {
  const changes = compareStatuses(job, old)
  const { active, succeeded, failed, ready, terminating, uncountedTerminatedPods } = job.status ?? {}
  return [
    ...validateCounts({ active, succeeded, failed, ready, terminating }, path),
    ...(uncountedTerminatedPods === undefined ? [] : validateUncounted(uncountedTerminatedPods, path.child('uncountedTerminatedPods'))),
    ...validateTimes(job, changes),
    ...validateFinished(job, changes),
    ...validateStatusIndexes(job, changes, path),
    ...validateStatusConditions(job, old, { changes, path: path.child('conditions') }),
    ...validatePods(job, changes),
    ...validateHistory(job, old, changes),
  ]
}

function validateUncounted({ succeeded, failed }: DeepReadonly<UncountedTerminatedPods>, at: FieldPath): FieldErrorList {
  const visited = new Set<string>()
  return Object.entries({ succeeded, failed }).flatMap(([member, uids]) =>
    (uids ?? []).flatMap((uid, i) => {
      const uidPath = at.child(member).index(i)
      if (uid === '') return [fieldError.invalid(uidPath, uid, 'must not be empty')]
      if (visited.has(uid)) return [fieldError.duplicate(uidPath, uid)]
      visited.add(uid)
      return []
    }),
  )
}

function validateTimes(job: ReadonlyJob, { complete, completionTime: endChanged, startTime: startChanged }: StatusChanges): FieldErrorList {
  const { startTime, completionTime } = job.status ?? {}
  const isComplete = hasCondition(job, 'Complete')
  const at = path.child('completionTime')
  const errors: FieldErrorList = []
  if (complete || endChanged) {
    if (completionTime !== undefined && !isComplete) {
      errors.push(fieldError.invalid(at, completionTime, 'cannot set completionTime when there is no Complete=True condition'))
    }
    if (completionTime === undefined && isComplete) errors.push(fieldError.required(at, 'completionTime is required for Complete jobs'))
  }
  const isReversed = startTime !== undefined && completionTime !== undefined && Date.parse(completionTime) < Date.parse(startTime)
  if ((startChanged || endChanged) && isReversed) {
    errors.push(fieldError.invalid(at, completionTime, 'must be equal to or after `startTime`'))
  }
  return errors
}

function validateFinished(job: ReadonlyJob, changes: StatusChanges): FieldErrorList {
  if (!isFinished(job)) return []
  const { active = 0, startTime, uncountedTerminatedPods: uncounted } = job.status ?? {}
  const needsNoPods = job.spec?.suspend === true && job.spec.completions === 0
  const errors: FieldErrorList = []
  if ((changes.finished || changes.active) && active > 0) {
    errors.push(fieldError.invalid(path.child('active'), active, 'active>0 is invalid for finished job'))
  }
  if ((changes.finished || changes.startTime) && !needsNoPods && startTime === undefined) {
    errors.push(fieldError.required(path.child('startTime'), 'startTime is required for finished job'))
  }
  if ((changes.finished || changes.uncounted) && (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length > 0) {
    const printed = toInternalStruct(batchV1.table.resolve('UncountedTerminatedPods'), uncounted)
    errors.push(fieldError.invalid(path.child('uncountedTerminatedPods'), printed, 'must be empty for finished job'))
  }
  return errors
}

function validatePods(job: ReadonlyJob, changes: StatusChanges): FieldErrorList {
  const { active = 0, ready = 0, terminating = 0 } = job.status ?? {}
  const errors: FieldErrorList = []
  if ((changes.finished || changes.terminating) && terminating > 0 && isFinished(job)) {
    errors.push(fieldError.invalid(path.child('terminating'), terminating, 'terminating>0 is invalid for finished job'))
  }
  if ((changes.ready || changes.active) && ready > active) {
    errors.push(fieldError.invalid(path.child('ready'), ready, 'cannot set more ready pods than active'))
  }
  return errors
}

/** Rejects decreasing counters and changes of recorded times. */
function validateHistory(job: ReadonlyJob, old: ReadonlyJob, changes: StatusChanges): FieldErrorList {
  const { failed = 0, succeeded = 0, startTime, completionTime } = job.status ?? {}
  const before = old.status ?? {}
  const mayShrink = job.spec?.completionMode === 'Indexed' && job.spec.completions === job.spec.parallelism
  const isResuming = hasCondition(old, 'Suspended') && hasCondition(job, 'Suspended', 'False')
  const errors: FieldErrorList = []
  if (failed < (before.failed ?? 0)) errors.push(fieldError.invalid(path.child('failed'), failed, 'cannot decrease the failed counter'))
  if (!mayShrink && succeeded < (before.succeeded ?? 0)) {
    errors.push(fieldError.invalid(path.child('succeeded'), succeeded, 'cannot decrease the succeeded counter'))
  }
  if (changes.completionTime && completionTime !== undefined && before.completionTime !== undefined) {
    errors.push(fieldError.invalid(path.child('completionTime'), completionTime, 'field is immutable'))
  }
  if (changes.startTime && !isResuming && before.startTime !== undefined && job.spec?.suspend !== true) {
    errors.push(fieldError.invalid(path.child('startTime'), startTime ?? null, 'field is immutable for unsuspended job once set'))
  }
  return errors
}
