import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from '@keelson/api/resource/v1'
import { fieldError, newFieldPath, isDNS1123Label, validateConditions, validateImmutableField } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import {
  createInvalidErrors,
  validateCSIDriverName,
  validateNodeSelector,
  validateRequired,
  validateRequiredOneOf,
} from '@keelson/resources-core'
import { validateBindingConditions } from '../binding-conditions.ts'
import { maxRequests, collectRequestNames, validateRequestReference, validateRequestReferences } from '../claim-spec.ts'
import { validateConfiguration, validateObject } from '../configuration.ts'
import { validateList, validateSet } from '../lists.ts'
import { validatePoolName, validateShareID } from '../names.ts'
import { isAllocatedIn, toDeviceID } from './device-ids.ts'
import { validateNetworkData } from './validate-network-data.ts'

type ReadonlyClaim = DeepReadonly<ResourceClaim>

const statusPath = newFieldPath('status')
const maxConsumers = 256
const maxConfigurations = 64
const maxConditions = 8
const maxDataLength = 10 * 1024

export function validateClaimStatus(claim: ReadonlyClaim, old: ReadonlyClaim): FieldErrorList {
  const { reservedFor = [], devices = [], allocation } = claim.status ?? {}
  const { reservedFor: reservedBefore = [], allocation: allocatedBefore } = old.status ?? {}
  const reservedPath = statusPath.child('reservedFor')
  const isAllocated = isAllocatedIn(claim.status)
  const errors = [
    ...validateSet(reservedFor, { max: maxConsumers, rule: validateConsumer, key: ({ uid }) => uid }, reservedPath),
    ...validateSet<DeepReadonly<AllocatedDeviceStatus>>(
      devices,
      { max: Number.POSITIVE_INFINITY, rule: (device, path) => validateDevice(device, isAllocated, path), key: toDeviceID },
      statusPath.child('devices'),
    ),
  ]
  if (reservedFor.length > 0 && allocation === undefined) {
    errors.push(fieldError.forbidden(reservedPath, 'may not be specified when `allocated` is not set'))
  } else if (claim.metadata.deletionTimestamp !== undefined) {
    const before = new Set(reservedBefore.map(({ uid }) => uid))
    const added = reservedFor.some(({ uid }) => !before.has(uid))
    const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'
    if (added) errors.push(fieldError.forbidden(reservedPath, detail))
  }
  if (allocation === undefined) return errors
  const path = statusPath.child('allocation')
  if (allocatedBefore !== undefined) return [...errors, ...validateImmutableField(allocation, allocatedBefore, path)]
  return [...errors, ...validateAllocation(allocation, collectRequestNames(claim.spec.devices), path)]
}

function validateConsumer(consumer: DeepReadonly<ResourceClaimConsumerReference>, path: FieldPath): FieldErrorList {
  return [
    ...validateRequired(consumer.resource, path.child('resource')),
    ...validateRequired(consumer.name, path.child('name')),
    ...validateRequired(consumer.uid, path.child('uid')),
  ]
}

function validateAllocation(allocation: DeepReadonly<AllocationResult>, names: ReadonlySet<string>, path: FieldPath): FieldErrorList {
  const { devices = {}, nodeSelector } = allocation
  const at = path.child('devices')
  return [
    ...validateList(devices.results, maxRequests, (result, p) => validateResult(result, names, p), at.child('results')),
    ...validateList(devices.config, maxConfigurations, (config, p) => validateAllocated(config, names, p), at.child('config')),
    ...(nodeSelector === undefined
      ? []
      : validateNodeSelector(nodeSelector, { allowInvalidLabelValues: false }, path.child('nodeSelector'))),
  ]
}

function validateResult(result: DeepReadonly<DeviceRequestAllocationResult>, names: ReadonlySet<string>, path: FieldPath): FieldErrorList {
  return [
    ...validateRequestReference(result.request, names, path.child('request')),
    ...validateDeviceName(result, path),
    ...validateBindingConditions(result, path),
    ...validateShareID(result.shareID, path.child('shareID')),
  ]
}

function validateDeviceName(
  { driver, pool, device }: Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device'>,
  path: FieldPath,
): FieldErrorList {
  return [
    ...validateCSIDriverName(driver, path.child('driver')),
    ...validatePoolName(pool, path.child('pool')),
    ...createInvalidErrors(isDNS1123Label(device), device, path.child('device')),
  ]
}

function validateAllocated(
  config: DeepReadonly<DeviceAllocationConfiguration>,
  names: ReadonlySet<string>,
  path: FieldPath,
): FieldErrorList {
  return [
    ...validateRequiredOneOf(config.source, ['FromClaim', 'FromClass'], path.child('source')),
    ...validateRequestReferences(config.requests, names, path.child('requests')),
    ...validateConfiguration(config, path),
  ]
}

function validateDevice(
  device: DeepReadonly<AllocatedDeviceStatus>,
  isAllocated: ReturnType<typeof isAllocatedIn>,
  path: FieldPath,
): FieldErrorList {
  const { shareID, data, networkData } = device
  const conditions = device.conditions ?? []
  const conditionsPath = path.child('conditions')
  return [
    ...validateDeviceName(device, path),
    ...validateShareID(shareID, path.child('shareID')),
    ...(isAllocated(toDeviceID(device)) ? [] : [fieldError.invalid(path, toDeviceID(device), 'must be an allocated device in the claim')]),
    ...(conditions.length > maxConditions ? [fieldError.tooMany(conditionsPath, conditions.length, maxConditions)] : []),
    ...validateConditions(conditions, conditionsPath),
    ...(data === undefined ? [] : validateObject(data, maxDataLength, path.child('data'))),
    ...(networkData === undefined ? [] : validateNetworkData(networkData, path.child('networkData'))),
  ]
}
