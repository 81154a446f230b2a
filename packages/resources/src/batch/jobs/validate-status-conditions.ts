import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { hasCondition } from './job-conditions.ts'
import type { ReadonlyJob, StatusChanges } from './status-changes.ts'

interface ConditionOptions {
  readonly changes: StatusChanges
  readonly path: FieldPath
}

/** Validates terminal conditions: they exclude each other, follow their interim conditions and are never removed. */
export function validateStatusConditions(job: ReadonlyJob, old: ReadonlyJob, { changes, path }: ConditionOptions): FieldErrorList {
  const complete = hasCondition(job, 'Complete')
  const failed = hasCondition(job, 'Failed')
  const failureTarget = hasCondition(job, 'FailureTarget')
  const criteriaMet = hasCondition(job, 'SuccessCriteriaMet')
  const hadCriteria = hasCondition(old, 'SuccessCriteriaMet')
  const rules: readonly (readonly [isBroken: boolean, detail: string])[] = [
    [(changes.complete || changes.failed) && complete && failed, 'cannot set Complete=True and Failed=true conditions'],
    [
      (changes.complete || changes.failureTarget) && complete && failureTarget,
      'cannot set Complete=True and FailureTarget=true conditions',
    ],
    [
      (changes.failed || changes.failedIndexes) && failed && !failureTarget,
      'cannot set Failed=True condition without the FailureTarget=true condition',
    ],
    [
      (changes.complete || changes.successCriteriaMet) && complete && !criteriaMet,
      'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
    ],
    [criteriaMet && failed, 'cannot set SuccessCriteriaMet=True and Failed=true conditions'],
    [criteriaMet && failureTarget, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'],
    [
      job.spec?.successPolicy !== undefined && !criteriaMet && complete,
      'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
    ],
    ...(['Failed', 'Complete', 'FailureTarget'] as const).map(
      (type) => [hasCondition(old, type) && !hasCondition(job, type), `cannot disable the terminal ${type}=True condition`] as const,
    ),
    [hadCriteria && !criteriaMet, 'cannot disable the SuccessCriteriaMet=True condition'],
    [
      hasCondition(old, 'Complete') && !hadCriteria && criteriaMet,
      'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
    ],
  ]
  return rules.flatMap(([isBroken, detail]) => (isBroken ? [fieldError.invalid(path, undefined, detail)] : []))
}
