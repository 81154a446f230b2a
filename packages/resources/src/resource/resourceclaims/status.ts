import type { ResourceClaim, ResourceClaimStatus } from '@keelson/api/resource/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { resetMetadataForStatus } from '@keelson/registry'
import type { SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '@keelson/resources-core'
import { allocatedDevices, deviceId } from './device-ids.ts'
import { validateClaimStatus } from './validate-status.ts'

export const resourceClaimStatus: SubresourceStrategy<ResourceClaim> = {
  update: {
    resetFields: withoutFields('metadata', 'spec'),
    prepareForUpdate(_context, claim, old) {
      keepMember(claim, old, 'spec')
      resetMetadataForStatus(claim.metadata, old.metadata)
      if (claim.status !== undefined) dropGivenBack(claim.status, old.status)
    },
    validateUpdate: (_context, claim, old) => validateClaimStatus(claim, old),
  },
  tabled: false,
}

/** What is said of devices that the claim has no longer goes with them. */
function dropGivenBack(status: ResourceClaimStatus, old: DeepReadonly<ResourceClaimStatus> | undefined): void {
  const wasGiven = allocatedDevices(old)
  const isGiven = allocatedDevices(status)
  const kept = (status.devices ?? []).filter((device) => isGiven(deviceId(device)) || !wasGiven(deviceId(device)))
  if (kept.length === 0) delete status.devices
  else status.devices = kept
}
