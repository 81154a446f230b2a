import type { ResourceClaimStatus } from '@keelson/api/resource/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

interface DeviceName {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly shareID?: string
}

/** One text for each device, or share of one. */
export function deviceId({ driver, pool, device, shareID }: DeepReadonly<DeviceName>): string {
  return [driver, pool, device, ...(shareID === undefined ? [] : [shareID])].join('/')
}

export function allocatedDevices(status: DeepReadonly<ResourceClaimStatus> | undefined): ReadonlySet<string> {
  return new Set((status?.allocation?.devices?.results ?? []).map(deviceId))
}
