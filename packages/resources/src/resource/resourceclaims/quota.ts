import type { DeviceRequest, ExactDeviceRequest, ResourceClaim } from '@keelson/api/resource/v1'
import { parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { oneObject } from '@keelson/registry'
import type { QuotaRules } from '@keelson/registry'

const count = 'count/resourceclaims.resource.k8s.io'
const devices = '.deviceclass.resource.k8s.io/devices'
/** Maximum number of devices of a claim. */
const maxDevicesPerClaim = 32

/** The quota rules of claims, which count devices by class. */
export const claimQuota: QuotaRules<ResourceClaim> = {
  isCharged: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  isLimitedBy: (limit) => limit === count || limit.endsWith(devices),
  computeUsage({ spec }) {
    const total = new Map<string, number>()
    for (const request of spec.devices.requests ?? [])
      for (const [name, amount] of countMaxDevices(request)) total.set(name, (total.get(name) ?? 0) + amount)
    return new Map([
      [count, oneObject],
      ...[...total].map(([name, amount]) => [`${name}${devices}`, parseQuantity(String(amount))] as const),
    ])
  },
}

/** Counts the devices of a request by class. For alternatives, counts the maximum of each class, because no alternative is selected yet. */
function countMaxDevices({ exactly, firstAvailable = [] }: DeepReadonly<DeviceRequest>): ReadonlyMap<string, number> {
  const maximumCounts = new Map<string, number>()
  for (const request of firstAvailable.length > 0 ? firstAvailable : exactly === undefined ? [] : [exactly])
    maximumCounts.set(request.deviceClassName, Math.max(maximumCounts.get(request.deviceClassName) ?? 0, countDevices(request)))
  return maximumCounts
}

function countDevices({
  allocationMode,
  count: deviceCount = 0,
}: Pick<DeepReadonly<ExactDeviceRequest>, 'allocationMode' | 'count'>): number {
  if (allocationMode === 'All') return maxDevicesPerClaim
  return allocationMode === 'ExactCount' ? deviceCount : 0
}
