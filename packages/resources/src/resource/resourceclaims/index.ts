import type { ResourceClaim } from '@keelson/api/resource/v1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { defineResource, validateInSlices } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { keepMember } from '@keelson/resources-core'
import { setClaimSpecDefaults, setClaimStatusDefaults, validateClaimSpec } from '../claim-spec.ts'
import { claimQuota } from './quota.ts'
import { resourceClaimStatus } from './status.ts'
import { claimVersions } from '../served-versions.ts'
import { validateSpecUnchanged } from '../validate-spec-unchanged.ts'

const specPath = newFieldPath('spec')

/** The definition of resource claims, which request devices. The status contains the allocation. */
export const resourceClaims: ResourceDefinition<ResourceClaim> = defineResource<ResourceClaim>({
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  alsoServedAs: claimVersions,
  scope: 'Namespaced',
  returnsDeletedObject: true,
  quota: claimQuota,
  setDefaults({ spec, status }) {
    setClaimSpecDefaults(spec)
    setClaimStatusDefaults(status)
  },
  strategy: {
    resetFields: withoutFields('status'),
    prepareForCreate(_context, claim) {
      claim.status = {}
    },
    prepareForUpdate: (_context, claim, old) => keepMember(claim, old, 'status'),
    runValidation: validateInSlices,
    validateCreate: (_context, { spec }, steps) => validateClaimSpec(spec, specPath, steps),
    validateUpdate: (_context, { spec }, old) => validateSpecUnchanged('ResourceClaimSpec', spec, old.spec),
  },
  subresources: { status: resourceClaimStatus },
  columns: [{ name: 'State', description: 'Allocation state of the claim.', value: formatState }],
})

function formatState({ metadata, status }: DeepReadonly<ResourceClaim>): string {
  const isDeleted = metadata.deletionTimestamp !== undefined
  const deletion = isDeleted ? ['deleted'] : []
  if (status?.allocation === undefined) return [...deletion, ...(isDeleted ? [] : ['pending'])].join(',')
  return [...deletion, 'allocated', ...((status.reservedFor ?? []).length > 0 ? ['reserved'] : [])].join(',')
}
