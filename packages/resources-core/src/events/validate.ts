import { coreV1 } from '@keelson/api/core/v1'
import type { Event } from '@keelson/api/core/v1'
import {
  measureUtf8Bytes,
  fieldError,
  newFieldPath,
  goJson,
  isDNS1123Subdomain,
  isQualifiedName,
  nameIsDNSSubdomain,
  equalsSemantically,
  validateImmutableField,
  validateObjectMetaUpdate,
  createVerbatimValue,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, GroupVersion } from '@keelson/apimachinery'
import { toInternalStruct } from '../internal-structs/to-internal-struct.ts'

type ReadonlyEvent = DeepReadonly<Event>

const maxWordLength = 128
const maxNoteLength = 1024

/** Validates an event. The rules for events.k8s.io/v1 are stricter than those for core/v1. */
export function validateEvent(event: ReadonlyEvent, requested: GroupVersion): FieldErrorList {
  const errors = validateConsistency(event, requested)
  return isCoreV1(requested) ? errors : [...errors, ...validateName(event), ...validateSeries(event), ...validateNewStyle(event)]
}

export function validateEventUpdate(event: ReadonlyEvent, old: ReadonlyEvent, requested: GroupVersion): FieldErrorList {
  const errors = validateConsistency(event, requested)
  if (isCoreV1(requested)) return errors
  return [
    ...errors,
    ...validateObjectMetaUpdate(event.metadata, old.metadata),
    ...(equalsSemantically(event.series, old.series) ? [] : validateSeries(event)),
    ...validateUnchanged(event, old),
  ]
}

function isCoreV1({ group, version }: GroupVersion): boolean {
  return group === '' && version === 'v1'
}

/** Applies the rules that core/v1 and events.k8s.io/v1 share. An event with `eventTime` is a new-style event in both versions. */
function validateConsistency(event: ReadonlyEvent, requested: GroupVersion): FieldErrorList {
  const namespace = event.metadata.namespace ?? ''
  const errors = event.eventTime ? validateNewEvent(event, namespace, isCoreV1(requested)) : validateOldEvent(event, namespace)
  errors.push(...isDNS1123Subdomain(namespace).map((message) => fieldError.invalid(newFieldPath('namespace'), namespace, message)))
  return errors
}

function reportNamespaceMismatch(event: ReadonlyEvent): FieldErrorList {
  const namespace = event.involvedObject?.namespace ?? ''
  return [fieldError.invalid(newFieldPath('involvedObject', 'namespace'), namespace, 'does not match event.namespace')]
}

function validateOldEvent(event: ReadonlyEvent, namespace: string): FieldErrorList {
  const involved = event.involvedObject?.namespace ?? ''
  const matches = involved === '' ? namespace === '' || namespace === 'default' : namespace === involved
  return matches ? [] : reportNamespaceMismatch(event)
}

function validateNewEvent(event: ReadonlyEvent, namespace: string, isCore: boolean): FieldErrorList {
  const errors: FieldErrorList = []
  const isClusterScoped = (event.involvedObject?.namespace ?? '') === ''
  if (isClusterScoped && namespace !== 'default' && namespace !== 'kube-system') errors.push(...reportNamespaceMismatch(event))
  const controller = event.reportingComponent ?? ''
  const controllerPath = newFieldPath(isCore ? 'reportingComponent' : 'reportingController')
  if (controller === '') errors.push(fieldError.required(controllerPath))
  errors.push(...isQualifiedName(controller).map((message) => fieldError.invalid(controllerPath, controller, message)))
  errors.push(...validateWord('reportingInstance', event.reportingInstance))
  errors.push(...validateWord('action', event.action))
  errors.push(...validateWord('reason', event.reason))
  errors.push(...validateLength('message', event.message, maxNoteLength))
  return errors
}

function validateWord(member: string, value: string | undefined): FieldErrorList {
  return value ? validateLength(member, value, maxWordLength) : [fieldError.required(newFieldPath(member))]
}

function validateLength(member: string, value: string | undefined, max: number): FieldErrorList {
  if (measureUtf8Bytes(value ?? '') <= max) return []
  return [fieldError.invalid(newFieldPath(member), '', `can have at most ${max} characters`)]
}

/** Validates the name and the namespace of an event. The registry validates the other metadata. */
function validateName(event: ReadonlyEvent): FieldErrorList {
  const { name = '', generateName = '' } = event.metadata
  const check = (member: string, value: string): FieldErrorList =>
    value === ''
      ? []
      : nameIsDNSSubdomain(value, member === 'generateName').map((message) =>
          fieldError.invalid(newFieldPath('metadata', member), value, message),
        )
  return [...check('generateName', generateName), ...check('name', name)]
}

function validateSeries(event: ReadonlyEvent): FieldErrorList {
  if (!event.series) return []
  const errors: FieldErrorList = []
  if ((event.series.count ?? 0) < 2) errors.push(fieldError.invalid(newFieldPath('series.count'), '', 'should be at least 2'))
  if (!event.series.lastObservedTime) errors.push(fieldError.required(newFieldPath('series.lastObservedTime')))
  return errors
}

function validateNewStyle(event: ReadonlyEvent): FieldErrorList {
  const errors: FieldErrorList = []
  const { type = '' } = event
  if (!event.eventTime) errors.push(fieldError.required(newFieldPath('eventTime')))
  if (type !== 'Normal' && type !== 'Warning') errors.push(fieldError.invalid(newFieldPath('type'), '', `has invalid value: ${type}`))
  const old = { firstTimestamp: event.firstTimestamp, lastTimestamp: event.lastTimestamp, count: event.count }
  const setFields = Object.entries(old).flatMap(([member, value]) => (value ? [member] : []))
  if (event.source?.component || event.source?.host) setFields.push('source')
  errors.push(...setFields.map((member) => fieldError.invalid(newFieldPath(member), '', 'needs to be unset')))
  return errors
}

/** Rejects changes of all fields except the series and the metadata. */
function validateUnchanged(event: ReadonlyEvent, old: ReadonlyEvent): FieldErrorList {
  const errors: FieldErrorList = []
  const reference = coreV1.table.resolve('ObjectReference')
  const source = coreV1.table.resolve('EventSource')
  const printRelated = ({ related }: ReadonlyEvent): unknown => (related === undefined ? null : toInternalStruct(reference, related))
  const requireEqual = (member: string, value: unknown, before: unknown): void => {
    errors.push(...validateImmutableField(value, before, newFieldPath(member)))
  }
  const requireEqualStruct = (member: string, value: unknown, before: unknown): void => {
    if (!equalsSemantically(value, before)) requireEqual(member, createVerbatimValue(goJson(value)), null)
  }
  requireEqualStruct('involvedObject', toInternalStruct(reference, event.involvedObject), toInternalStruct(reference, old.involvedObject))
  requireEqual('reason', event.reason ?? '', old.reason ?? '')
  requireEqual('message', event.message ?? '', old.message ?? '')
  requireEqualStruct('source', toInternalStruct(source, event.source), toInternalStruct(source, old.source))
  requireEqual('firstTimestamp', event.firstTimestamp ?? null, old.firstTimestamp ?? null)
  requireEqual('lastTimestamp', event.lastTimestamp ?? null, old.lastTimestamp ?? null)
  requireEqual('count', event.count ?? 0, old.count ?? 0)
  requireEqual('reason', event.reason ?? '', old.reason ?? '')
  requireEqual('type', event.type ?? '', old.type ?? '')
  requireEqual('eventTime', event.eventTime ?? null, old.eventTime ?? null)
  requireEqual('action', event.action ?? '', old.action ?? '')
  requireEqualStruct('related', printRelated(event), printRelated(old))
  requireEqual('reportingController', event.reportingComponent ?? '', old.reportingComponent ?? '')
  requireEqual('reportingInstance', event.reportingInstance ?? '', old.reportingInstance ?? '')
  return errors
}
