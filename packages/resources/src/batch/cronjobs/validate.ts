import type { CronJob, CronJobSpec, JobTemplateSpec } from '@keelson/api/batch/v1'
import { fieldError, fieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { validateRequiredOneOf } from '@keelson/resources-core'
import { printedSelector } from '../../workloads/own-selector.ts'
import { validateCounts } from '../../workloads/status-counts.ts'
import { validateJobTemplate } from '../jobs/validate-spec.ts'
import { scheduleComplaint } from './schedule-complaint.ts'
import { timeZoneComplaint } from './time-zone.ts'

type ReadonlyCronJob = DeepReadonly<CronJob>
type ReadonlySpec = DeepReadonly<CronJobSpec>

const specPath = fieldPath('spec')
const nothing: ReadonlySpec = { schedule: '', jobTemplate: {} }
/** A label, less what the time of each job takes of its name. */
const maxNameLength = 52
const zoneSegment = /^[A-Za-z.\-_0-9+]{1,14}$/

export function validateCronJob({ metadata, spec = nothing }: ReadonlyCronJob): FieldErrorList {
  const errors = validateSpec(spec)
  const name = metadata.name ?? ''
  if (name.length <= maxNameLength) return errors
  return [...errors, fieldError.invalid(fieldPath('metadata', 'name'), name, `must be no more than ${maxNameLength} characters`)]
}

export function validateCronJobUpdate({ spec = nothing }: ReadonlyCronJob, old: ReadonlyCronJob): FieldErrorList {
  return validateSpec(spec, old.spec ?? nothing)
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

/** A zone within the schedule may only be written again where it was before there was a member for it. */
function validateSchedule({ schedule, timeZone }: ReadonlySpec, old: ReadonlySpec | undefined, path: FieldPath): FieldErrorList {
  const complaint = scheduleComplaint(schedule)
  const errors = complaint === undefined ? [] : [fieldError.invalid(path, schedule, complaint)]
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
  const isWrong = (part: string): boolean => part === '.' || part === '..' || part.startsWith('-') || !zoneSegment.test(part)
  if (zone.split('/').some(isWrong)) return [fieldError.invalid(path, zone, `unknown time zone ${zone}`)]
  const errors: FieldErrorList = []
  if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    errors.push(fieldError.invalid(path, zone, detail))
  }
  const complaint = timeZoneComplaint(zone)
  return complaint === undefined ? errors : [...errors, fieldError.invalid(path, zone, complaint)]
}

/** Each job gets a selector of its own. */
function validateTemplate(
  { spec = { template: {} } }: DeepReadonly<JobTemplateSpec>,
  old: DeepReadonly<JobTemplateSpec> | undefined,
  path: FieldPath,
): FieldErrorList {
  const errors = validateJobTemplate(spec, path, old?.spec?.template)
  if (spec.selector !== undefined) {
    errors.push(fieldError.invalid(path.child('selector'), printedSelector(spec.selector), '`selector` will be auto-generated'))
  }
  if (spec.manualSelector === true) errors.push(fieldError.notSupported(path.child('manualSelector'), true, ['nil', 'false']))
  return errors
}
