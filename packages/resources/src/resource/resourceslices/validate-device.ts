import { resourceV1 } from '@keelson/api/resource/v1'
import type { Device, DeviceAttribute, DeviceCounterConsumption } from '@keelson/api/resource/v1'
import { measureUtf8Bytes, fieldError, isDNS1123Label, nameIsDNSSubdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { toInternalStruct, createInvalidErrors, validateNodeSelector } from '@keelson/resources-core'
import { validateBindingConditions } from '../binding-conditions.ts'
import { validateList, validateSet } from '../lists.ts'
import { validateDeviceKey } from '../names.ts'
import { validateTaint } from '../taints.ts'
import { validateCapacity } from './validate-capacity.ts'
import { validateCounterName, validateCounters } from './validate-counters.ts'

type ReadonlyDevice = DeepReadonly<Device>

const maxProperties = 32
const maxTaints = 16
const maxConsumptions = 2
const maxValueLength = 64
const version =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/

export interface DeviceRules {
  /** True if each device selects its nodes, instead of the slice. */
  readonly perDevice: boolean
  readonly keepsTaints: boolean
}

export function validateDevice(device: ReadonlyDevice, { perDevice, keepsTaints }: DeviceRules, path: FieldPath): FieldErrorList {
  const { name, attributes = {}, capacity = {}, taints, consumesCounters, allowMultipleAllocations = false } = device
  const properties = Object.keys(attributes).length + Object.keys(capacity).length
  const tooManyProperties = `the total number of attributes and capacities must not exceed ${maxProperties}`
  return [
    ...createInvalidErrors(isDNS1123Label(name), name, path.child('name')),
    ...(properties > maxProperties ? [fieldError.invalid(path, properties, tooManyProperties)] : []),
    ...validateMap(attributes, validateAttribute, path.child('attributes')),
    ...validateMap(capacity, (item, at) => validateCapacity(item, allowMultipleAllocations, at), path.child('capacity')),
    ...(keepsTaints ? [] : validateList(taints, maxTaints, validateTaint, path.child('taints'))),
    ...validateSet(
      consumesCounters,
      { max: maxConsumptions, rule: validateConsumption, key: ({ counterSet }) => counterSet },
      path.child('consumesCounters'),
    ),
    ...(perDevice ? validateNodeSelection(device, path) : forbidNodeSelection(device, path)),
    ...validateBindingConditions(device, path),
  ]
}

function validateMap<T>(
  map: Readonly<Record<string, T>>,
  rule: (item: T, path: FieldPath) => FieldErrorList,
  path: FieldPath,
): FieldErrorList {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.flatMap(([key, item]) => validateDeviceKey(key, path).concat(rule(item, path.key(key))))
}

function validateAttribute(attribute: DeepReadonly<DeviceAttribute>, path: FieldPath): FieldErrorList {
  const { string: text, version: semantic } = attribute
  const values = Object.values(attribute).filter((value) => value !== undefined)
  const errors: FieldErrorList = []
  const reportTooLong = (value: string, member: string): void => {
    if (measureUtf8Bytes(value) > maxValueLength) errors.push(fieldError.tooLong(path.child(member), maxValueLength))
  }
  if (text !== undefined) reportTooLong(text, 'string')
  if (semantic !== undefined) {
    const detail = 'must be a string compatible with semver.org spec 2.0.0'
    if (!version.test(semantic)) errors.push(fieldError.invalid(path.child('version'), semantic, detail))
    reportTooLong(semantic, 'version')
  }
  if (values.length !== 1) {
    const printed = values.length === 0 ? '' : toInternalStruct(resourceV1.table.resolve('DeviceAttribute'), attribute)
    errors.push(fieldError.invalid(path, printed, 'exactly one value must be specified'))
  }
  return errors
}

function validateConsumption({ counterSet, counters }: DeepReadonly<DeviceCounterConsumption>, path: FieldPath): FieldErrorList {
  return [...validateCounterName(counterSet, path.child('counterSet')), ...validateCounters(counters, path.child('counters'))]
}

function validateNodeSelection({ nodeName, nodeSelector, allNodes }: ReadonlyDevice, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const selections: string[] = []
  const nodePath = path.child('nodeName')
  if (nodeName === '') errors.push(fieldError.invalid(nodePath, nodeName, 'must not be empty'))
  else if (nodeName !== undefined) {
    selections.push('`nodeName`')
    errors.push(...createInvalidErrors(nameIsDNSSubdomain(nodeName, false), nodeName, nodePath))
  }
  if (nodeSelector !== undefined) {
    selections.push('`nodeSelector`')
    errors.push(...validateNodeSelector(nodeSelector, { allowInvalidLabelValues: false }, path.child('nodeSelector')))
  }
  if (allNodes === true) selections.push('`allNodes`')
  else if (allNodes === false) errors.push(fieldError.invalid(path.child('allNodes'), false, 'must be either unset or set to true'))
  const oneRequired =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
  if (selections.length === 0) errors.push(fieldError.required(path, oneRequired))
  else if (selections.length > 1) errors.push(fieldError.invalid(path, `{${selections.join(', ')}}`, oneRequired))
  return errors
}

function forbidNodeSelection({ nodeName, nodeSelector, allNodes }: ReadonlyDevice, path: FieldPath): FieldErrorList {
  if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return []
  const detail =
    '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
  return [fieldError.invalid(path, null, detail)]
}
