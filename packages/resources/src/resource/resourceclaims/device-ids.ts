import type { ResourceClaimStatus } from '@keelson/api/resource/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

interface DeviceName {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly shareID?: string
}

/** Of a device, or a share of one, as errors print it. */
interface DeviceID {
  readonly Driver: string
  readonly Pool: string
  readonly Device: string
  readonly ShareID: string
}

export function deviceId({ driver, pool, device, shareID = '' }: DeepReadonly<DeviceName>): DeviceID {
  return { Driver: driver, Pool: pool, Device: device, ShareID: shareID }
}

/** Tells whether a device was given to the claim. */
export function allocatedDevices(status: DeepReadonly<ResourceClaimStatus> | undefined): (id: DeviceID) => boolean {
  const given = new Set((status?.allocation?.devices?.results ?? []).map((result) => JSON.stringify(deviceId(result))))
  return (id) => given.has(JSON.stringify(id))
}
