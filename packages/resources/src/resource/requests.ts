import type { DeviceRequest, DeviceSubRequest, ExactDeviceRequest } from '@keelson/api/resource/v1'
import { fieldError, isDNS1123Label, isDNS1123Subdomain } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'
import { createInvalidErrors } from '@keelson/resources-core'
import { validateSet } from './lists.ts'
import { validateSelectors } from './selectors.ts'
import { setTolerationDefaults, validateToleration } from './taints.ts'

const maxAlternatives = 8
const modes = ['All', 'ExactCount']

export function setRequestDefaults(request: ExactDeviceRequest | DeviceSubRequest): void {
  request.allocationMode ||= 'ExactCount'
  if (request.allocationMode === 'ExactCount') request.count ||= 1
  setTolerationDefaults(request)
}

/** Validates a device request, which must set exactly one of `exactly` and `firstAvailable`. */
export function validateRequest(
  { name, exactly, firstAvailable = [] }: DeepReadonly<DeviceRequest>,
  path: FieldPath,
  steps: ValidationSteps | undefined,
): FieldErrorList {
  const errors = createInvalidErrors(isDNS1123Label(name), name, path.child('name'))
  const oneRequired = 'exactly one of `exactly` or `firstAvailable` is required'
  if (exactly !== undefined && firstAvailable.length > 0) {
    return [...errors, fieldError.invalid(path, null, `${oneRequired}, but multiple fields are set`)]
  }
  if (exactly !== undefined) return [...errors, ...validateDevices(exactly, path.child('exactly'), steps)]
  if (firstAvailable.length === 0) return [...errors, fieldError.required(path, oneRequired)]
  const rules = {
    max: maxAlternatives,
    rule: (request: DeepReadonly<DeviceSubRequest>, at: FieldPath) => validateSubRequest(request, at, steps),
    key: (request: DeepReadonly<DeviceSubRequest>) => request.name,
  }
  return [...errors, ...validateSet(firstAvailable, rules, path.child('firstAvailable'))]
}

function validateSubRequest(request: DeepReadonly<DeviceSubRequest>, path: FieldPath, steps: ValidationSteps | undefined): FieldErrorList {
  return [...createInvalidErrors(isDNS1123Label(request.name), request.name, path.child('name')), ...validateDevices(request, path, steps)]
}

function validateDevices(
  request: DeepReadonly<ExactDeviceRequest | DeviceSubRequest>,
  path: FieldPath,
  steps: ValidationSteps | undefined,
): FieldErrorList {
  const { deviceClassName, selectors, tolerations = [] } = request
  const classPath = path.child('deviceClassName')
  return [
    ...(deviceClassName === ''
      ? [fieldError.required(classPath)]
      : createInvalidErrors(isDNS1123Subdomain(deviceClassName), deviceClassName, classPath)),
    ...validateSelectors(selectors, path.child('selectors'), steps),
    ...validateCount(request, path),
    ...tolerations.flatMap((toleration, i) => validateToleration(toleration, path.child('tolerations').index(i))),
  ]
}

function validateCount(
  { allocationMode = '', count = 0 }: DeepReadonly<ExactDeviceRequest | DeviceSubRequest>,
  path: FieldPath,
): FieldErrorList {
  const countPath = path.child('count')
  if (!modes.includes(allocationMode)) return [fieldError.notSupported(path.child('allocationMode'), allocationMode, modes)]
  if (allocationMode === 'ExactCount') return count > 0 ? [] : [fieldError.invalid(countPath, count, 'must be greater than zero')]
  return count === 0 ? [] : [fieldError.invalid(countPath, count, "must not be specified when allocationMode is 'All'")]
}
