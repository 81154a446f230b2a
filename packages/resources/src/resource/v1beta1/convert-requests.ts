import type * as v1 from '@keelson/api/resource/v1'
import type * as v1beta1 from '@keelson/api/resource/v1beta1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { setRequestDefaults } from '../requests.ts'
import { setTolerationDefaults } from '../taints.ts'

/**
 * Sets defaults of a claim spec of v1beta1. In v1beta1, the fields of `exactly` are members of the request. Requests with `firstAvailable`
 * have no defaults for them.
 */
export function setBetaClaimSpecDefaults({ devices }: v1beta1.ResourceClaimSpec): void {
  for (const request of devices.requests ?? []) {
    if (request.deviceClassName) setRequestDefaults(request)
    else setTolerationDefaults(request)
    request.firstAvailable?.forEach(setRequestDefaults)
  }
}

export function convertClaimSpecToHub({ devices, ...rest }: v1beta1.ResourceClaimSpec): v1.ResourceClaimSpec {
  const { requests, ...others } = devices
  return { ...rest, devices: { ...others, requests: requests?.map(convertRequestToHub) ?? null } }
}

export function convertClaimSpecFromHub({ devices, ...rest }: DeepReadonly<v1.ResourceClaimSpec>): v1beta1.ResourceClaimSpec {
  const { requests, ...others } = devices as v1.DeviceClaim
  return { ...rest, devices: { ...others, requests: requests?.map(convertRequestFromHub) ?? null } }
}

function convertRequestToHub({ name, firstAvailable, ...exactly }: v1beta1.DeviceRequest): v1.DeviceRequest {
  return { name, ...(hasExactFields(exactly) && { exactly }), ...(firstAvailable && { firstAvailable }) }
}

/** Returns whether any field of an exact request is set, even to an invalid value. */
function hasExactFields(request: Omit<v1beta1.DeviceRequest, 'name' | 'firstAvailable'>): boolean {
  const { deviceClassName, selectors, allocationMode, count, adminAccess, tolerations, capacity } = request
  if (deviceClassName || allocationMode || count) return true
  return [selectors, adminAccess, tolerations, capacity].some((member) => member !== undefined)
}

function convertRequestFromHub({ name, exactly, firstAvailable }: v1.DeviceRequest): v1beta1.DeviceRequest {
  return { name, ...(exactly ?? { deviceClassName: '' }), ...(firstAvailable && { firstAvailable }) }
}
