import { resourceV1 } from '@keelson/api/resource/v1'
import { resourceV1beta2 } from '@keelson/api/resource/v1beta2'
import { resourceV1beta1 } from '@keelson/api/resource/v1beta1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { createClaimRules } from './claim-rules.ts'
import type { ClaimServices } from './claim-rules.ts'
import { deviceClasses } from './deviceclasses/index.ts'
import { resourceClaims } from './resourceclaims/index.ts'
import { resourceClaimTemplates } from './resourceclaimtemplates/index.ts'
import { resourceSlices } from './resourceslices/index.ts'

export const resource: ApiGroup<ClaimServices> = defineApiGroup({
  name: 'resource.k8s.io',
  priority: 16200,
  types: [resourceV1, resourceV1beta2, resourceV1beta1],
  retiredVersions: ['v1alpha3'],
  resources: [deviceClasses, resourceClaims, resourceClaimTemplates, resourceSlices],
  createExtensions: createClaimRules,
})
