import { authorizationV1 } from '@keelson/api/authorization/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'

/** The group has no stored resources: `authorizationReviews` serves it. */
export const authorization: ApiGroup = defineApiGroup({
  name: 'authorization.k8s.io',
  priority: 17600,
  types: [authorizationV1],
  retiredVersions: ['v1beta1'],
  resources: [],
})
