import type { ResourceClaim, ResourceClaimStatus } from '@keelson/api/resource/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { resetMetadataForStatus } from '@keelson/registry'
import type { SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '@keelson/resources-core'
import { isAllocatedIn, toDeviceID } from './device-ids.ts'
import { validateClaimStatus } from './validate-status.ts'

export const resourceClaimStatus: SubresourceStrategy<ResourceClaim> = {
  update: {
    resetFields: withoutFields('metadata', 'spec'),
    prepareForUpdate(_context, claim, old) {
      keepMember(claim, old, 'spec')
      resetMetadataForStatus(claim.metadata, old.metadata)
      if (claim.status !== undefined) dropDeallocatedDevices(claim.status, old.status)
    },
    validateUpdate: (_context, claim, old) => validateClaimStatus(claim, old),
  },
  tabled: false,
}

/** Drops the status of devices that this update deallocates. */
function dropDeallocatedDevices(status: ResourceClaimStatus, old: DeepReadonly<ResourceClaimStatus> | undefined): void {
  const wasAllocated = isAllocatedIn(old)
  const isAllocated = isAllocatedIn(status)
  const keptDevices = (status.devices ?? []).filter((device) => isAllocated(toDeviceID(device)) || !wasAllocated(toDeviceID(device)))
  if (keptDevices.length === 0) delete status.devices
  else status.devices = keptDevices
}
