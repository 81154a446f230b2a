import type { ResourceClaimStatus } from '@keelson/api/resource/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

interface DeviceName {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly shareID?: string
}

/** The identity of a device or of a share of a device. The members have the names of the fields in error messages. */
interface DeviceID {
  readonly Driver: string
  readonly Pool: string
  readonly Device: string
  readonly ShareID: string
}

export function toDeviceID({ driver, pool, device, shareID = '' }: DeepReadonly<DeviceName>): DeviceID {
  return { Driver: driver, Pool: pool, Device: device, ShareID: shareID }
}

/** Returns a predicate that is true for devices allocated to the claim. */
export function isAllocatedIn(status: DeepReadonly<ResourceClaimStatus> | undefined): (id: DeviceID) => boolean {
  const allocated = new Set((status?.allocation?.devices?.results ?? []).map((result) => JSON.stringify(toDeviceID(result))))
  return (id) => allocated.has(JSON.stringify(id))
}
