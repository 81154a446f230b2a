import type { CronJob, CronJobSpec, JobTemplateSpec } from '@keelson/api/batch/v1'
import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateRequiredOneOf } from '@keelson/resources-core'
import { printSelector } from '../../workloads/workload-selector.ts'
import { validateCounts } from '../../workloads/status-counts.ts'
import { validateJobTemplate } from '../jobs/validate-spec.ts'
import { findScheduleError } from './schedule-error.ts'
import { findTimeZoneError } from './time-zone.ts'

type ReadonlyCronJob = DeepReadonly<CronJob>
type ReadonlySpec = DeepReadonly<CronJobSpec>

const specPath = newFieldPath('spec')
const emptySpec: ReadonlySpec = { schedule: '', jobTemplate: {} }
/** Maximum length of a name: the length of a DNS label minus the suffix of job names. */
const maxNameLength = 52
const zoneSegment = /^[A-Za-z.\-_0-9+]{1,14}$/

export function validateCronJob({ metadata, spec = emptySpec }: ReadonlyCronJob): FieldErrorList {
  const errors = validateSpec(spec)
  const name = metadata.name ?? ''
  if (name.length <= maxNameLength) return errors
  return [...errors, fieldError.invalid(newFieldPath('metadata', 'name'), name, `must be no more than ${maxNameLength} characters`)]
}

export function validateCronJobUpdate({ spec = emptySpec }: ReadonlyCronJob, old: ReadonlyCronJob): FieldErrorList {
  return validateSpec(spec, old.spec ?? emptySpec)
}

function validateSpec(spec: ReadonlySpec, old?: ReadonlySpec): FieldErrorList {
  const { schedule = '', timeZone, startingDeadlineSeconds, successfulJobsHistoryLimit, failedJobsHistoryLimit } = spec
  const schedulePath = specPath.child('schedule')
  const isNewZone = old === undefined || old.timeZone !== timeZone
  return [
    ...(schedule === '' ? [fieldError.required(schedulePath)] : validateSchedule(spec, old, schedulePath)),
    ...validateCounts({ startingDeadlineSeconds }, specPath),
    ...(isNewZone && timeZone !== undefined ? validateTimeZone(timeZone, specPath.child('timeZone')) : []),
    ...validateRequiredOneOf(spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace'], specPath.child('concurrencyPolicy')),
    ...validateTemplate(spec.jobTemplate ?? {}, old?.jobTemplate, specPath.child('jobTemplate', 'spec')),
    ...validateCounts({ successfulJobsHistoryLimit, failedJobsHistoryLimit }, specPath),
  ]
}

/** Validates schedule and time zone. A time zone in the schedule is deprecated: only objects that already have one can keep it. */
function validateSchedule({ schedule, timeZone }: ReadonlySpec, old: ReadonlySpec | undefined, path: FieldPath): FieldErrorList {
  const error = findScheduleError(schedule)
  const errors = error === undefined ? [] : [fieldError.invalid(path, schedule, error)]
  if (!schedule.includes('TZ')) return errors
  if (old?.schedule.includes('TZ') !== true) {
    errors.push(fieldError.invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'))
  } else if (timeZone !== undefined) {
    errors.push(fieldError.invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'))
  }
  return errors
}

function validateTimeZone(zone: string, path: FieldPath): FieldErrorList {
  if (zone === '') return [fieldError.invalid(path, zone, 'timeZone must be nil or non-empty string')]
  const isInvalidSegment = (segment: string): boolean =>
    segment === '.' || segment === '..' || segment.startsWith('-') || !zoneSegment.test(segment)
  if (zone.split('/').some(isInvalidSegment)) return [fieldError.invalid(path, zone, `unknown time zone ${zone}`)]
  const errors: FieldErrorList = []
  if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    errors.push(fieldError.invalid(path, zone, detail))
  }
  const error = findTimeZoneError(zone)
  return error === undefined ? errors : [...errors, fieldError.invalid(path, zone, error)]
}

/** Validates the job template. Rejects selectors, because each job gets a generated selector. */
function validateTemplate(
  { spec = { template: {} } }: DeepReadonly<JobTemplateSpec>,
  old: DeepReadonly<JobTemplateSpec> | undefined,
  path: FieldPath,
): FieldErrorList {
  const errors = validateJobTemplate(spec, path, old?.spec?.template)
  if (spec.selector !== undefined) {
    errors.push(fieldError.invalid(path.child('selector'), printSelector(spec.selector), '`selector` will be auto-generated'))
  }
  if (spec.manualSelector === true) errors.push(fieldError.notSupported(path.child('manualSelector'), true, ['nil', 'false']))
  return errors
}
