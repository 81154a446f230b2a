import type { Event } from '@keelson/api/core/v1'
import {
  byteLength,
  fieldError,
  fieldPath,
  goJson,
  isDNS1123Subdomain,
  isQualifiedName,
  nameIsDNSSubdomain,
  semanticEqual,
  validateImmutableField,
  validateObjectMetaUpdate,
  verbatim,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, GroupVersion } from '@keelson/apimachinery'
import { internalReference, internalSource } from './internal-form.ts'

type ReadonlyEvent = DeepReadonly<Event>

const maxWordLength = 128
const maxNoteLength = 1024

/** Events written as core/v1 only have to make sense; those of events.k8s.io/v1 follow stricter rules. */
export function validateEvent(event: ReadonlyEvent, requested: GroupVersion): FieldErrorList {
  const errors = validateSense(event, requested)
  return isCoreV1(requested) ? errors : [...errors, ...validateName(event), ...validateSeries(event), ...validateNewStyle(event)]
}

export function validateEventUpdate(event: ReadonlyEvent, old: ReadonlyEvent, requested: GroupVersion): FieldErrorList {
  const errors = validateSense(event, requested)
  if (isCoreV1(requested)) return errors
  return [
    ...errors,
    ...validateObjectMetaUpdate(event.metadata, old.metadata),
    ...(semanticEqual(event.series, old.series) ? [] : validateSeries(event)),
    ...validateUnchanged(event, old),
  ]
}

function isCoreV1({ group, version }: GroupVersion): boolean {
  return group === '' && version === 'v1'
}

/** An event with `eventTime` is one of the new kind, whichever version it is written in. */
function validateSense(event: ReadonlyEvent, requested: GroupVersion): FieldErrorList {
  const namespace = event.metadata.namespace ?? ''
  const errors = event.eventTime ? validateNewEvent(event, namespace, isCoreV1(requested)) : validateOldEvent(event, namespace)
  errors.push(...isDNS1123Subdomain(namespace).map((message) => fieldError.invalid(fieldPath('namespace'), namespace, message)))
  return errors
}

function foreignNamespace(event: ReadonlyEvent): FieldErrorList {
  const namespace = event.involvedObject?.namespace ?? ''
  return [fieldError.invalid(fieldPath('involvedObject', 'namespace'), namespace, 'does not match event.namespace')]
}

function validateOldEvent(event: ReadonlyEvent, namespace: string): FieldErrorList {
  const involved = event.involvedObject?.namespace ?? ''
  const matches = involved === '' ? namespace === '' || namespace === 'default' : namespace === involved
  return matches ? [] : foreignNamespace(event)
}

function validateNewEvent(event: ReadonlyEvent, namespace: string, core: boolean): FieldErrorList {
  const errors: FieldErrorList = []
  const clusterWide = (event.involvedObject?.namespace ?? '') === ''
  if (clusterWide && namespace !== 'default' && namespace !== 'kube-system') errors.push(...foreignNamespace(event))
  const controller = event.reportingComponent ?? ''
  const controllerPath = fieldPath(core ? 'reportingComponent' : 'reportingController')
  if (controller === '') errors.push(fieldError.required(controllerPath))
  errors.push(...isQualifiedName(controller).map((message) => fieldError.invalid(controllerPath, controller, message)))
  errors.push(...validateWord('reportingInstance', event.reportingInstance))
  errors.push(...validateWord('action', event.action))
  errors.push(...validateWord('reason', event.reason))
  errors.push(...validateLength('message', event.message, maxNoteLength))
  return errors
}

function validateWord(member: string, value: string | undefined): FieldErrorList {
  return value ? validateLength(member, value, maxWordLength) : [fieldError.required(fieldPath(member))]
}

function validateLength(member: string, value: string | undefined, max: number): FieldErrorList {
  if (byteLength(value ?? '') <= max) return []
  return [fieldError.invalid(fieldPath(member), '', `can have at most ${max} characters`)]
}

/** The rest of metadata is checked for every version. */
function validateName(event: ReadonlyEvent): FieldErrorList {
  const { name = '', generateName = '' } = event.metadata
  const check = (member: string, value: string): FieldErrorList =>
    value === ''
      ? []
      : nameIsDNSSubdomain(value, member === 'generateName').map((message) =>
          fieldError.invalid(fieldPath('metadata', member), value, message),
        )
  return [...check('generateName', generateName), ...check('name', name)]
}

function validateSeries(event: ReadonlyEvent): FieldErrorList {
  if (!event.series) return []
  const errors: FieldErrorList = []
  if ((event.series.count ?? 0) < 2) errors.push(fieldError.invalid(fieldPath('series.count'), '', 'should be at least 2'))
  if (!event.series.lastObservedTime) errors.push(fieldError.required(fieldPath('series.lastObservedTime')))
  return errors
}

function validateNewStyle(event: ReadonlyEvent): FieldErrorList {
  const errors: FieldErrorList = []
  const { type = '' } = event
  if (!event.eventTime) errors.push(fieldError.required(fieldPath('eventTime')))
  if (type !== 'Normal' && type !== 'Warning') errors.push(fieldError.invalid(fieldPath('type'), '', `has invalid value: ${type}`))
  const old = { firstTimestamp: event.firstTimestamp, lastTimestamp: event.lastTimestamp, count: event.count }
  const set = Object.entries(old).flatMap(([member, value]) => (value ? [member] : []))
  if (event.source?.component || event.source?.host) set.push('source')
  errors.push(...set.map((member) => fieldError.invalid(fieldPath(member), '', 'needs to be unset')))
  return errors
}

/** All but the series and metadata stays. */
function validateUnchanged(event: ReadonlyEvent, old: ReadonlyEvent): FieldErrorList {
  const errors: FieldErrorList = []
  const same = (member: string, value: unknown, before: unknown): void => {
    errors.push(...validateImmutableField(value, before, fieldPath(member)))
  }
  const sameStruct = (member: string, value: unknown, before: unknown): void => {
    if (!semanticEqual(value, before)) same(member, verbatim(goJson(value)), null)
  }
  sameStruct('involvedObject', internalReference(event.involvedObject ?? {}), internalReference(old.involvedObject ?? {}))
  same('reason', event.reason ?? '', old.reason ?? '')
  same('message', event.message ?? '', old.message ?? '')
  sameStruct('source', internalSource(event.source), internalSource(old.source))
  same('firstTimestamp', event.firstTimestamp ?? null, old.firstTimestamp ?? null)
  same('lastTimestamp', event.lastTimestamp ?? null, old.lastTimestamp ?? null)
  same('count', event.count ?? 0, old.count ?? 0)
  same('reason', event.reason ?? '', old.reason ?? '')
  same('type', event.type ?? '', old.type ?? '')
  same('eventTime', event.eventTime ?? null, old.eventTime ?? null)
  same('action', event.action ?? '', old.action ?? '')
  sameStruct('related', internalReference(event.related), internalReference(old.related))
  same('reportingController', event.reportingComponent ?? '', old.reportingComponent ?? '')
  same('reportingInstance', event.reportingInstance ?? '', old.reportingInstance ?? '')
  return errors
}
